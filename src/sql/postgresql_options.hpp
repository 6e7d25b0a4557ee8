// SPDX-License-Identifier: Apache-2.0
// postgresql_options: a pointer to the parameters of a PostgreSQL connect string, as libpq has parsed them. The pointer
// is null if libpq refused the connect string.
//
//     parse_postgresql     parses a connect string
//
// Thread safety: a value, and a pure function.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>

namespace turnstile::sql {

struct postgresql_options_end {
    void operator()(PQconninfoOption* all) const noexcept { ::PQconninfoFree(all); }
};
using postgresql_options = std::unique_ptr<PQconninfoOption, postgresql_options_end>;

// Parses a connect string. `fault`: if it is not null, libpq stores its message there when it refuses the connect
// string. The caller must free this message by PQfreemem(). libpq 17 and later refuse a blank that is not written as
// "%20".
inline postgresql_options parse_postgresql(std::string uri, char** fault) {
    for (auto at = uri.find(' '); at != std::string::npos; at = uri.find(' ', at))
        uri.replace(at, 1, "%20");
    return postgresql_options{::PQconninfoParse(uri.c_str(), fault)};
}

}  // namespace turnstile::sql
