// SPDX-License-Identifier: Apache-2.0
// postgresql_options: the parameters of a PostgreSQL connect string, as libpq has parsed them. Null if libpq refused
// the connect string.
//
// Thread safety: a value.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace turnstile::sql {

struct postgresql_options_end {
    void operator()(PQconninfoOption* all) const noexcept { ::PQconninfoFree(all); }
};
using postgresql_options = std::unique_ptr<PQconninfoOption, postgresql_options_end>;

}  // namespace turnstile::sql
