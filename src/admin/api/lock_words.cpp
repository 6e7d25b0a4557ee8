// SPDX-License-Identifier: Apache-2.0
#include "admin/api/lock_words.hpp"

#include "admin/http/refusal.hpp"
#include "admin/reading/snapshot.hpp"
#include "turnstile/tools/path.hpp"

namespace turnstile::admin {

std::string lock_path(std::string path) {
    if (const auto valid = validate_path(path); !valid)
        throw refusal{400, "bad_request", valid.error().message()};
    if (path == "/")
        throw refusal{400, "bad_request", "path \"/\": the root cannot be a lock's path"};
    return path;
}

lock_kind lock_kind_named(const std::string& word) {
    const auto kind = lock_kind_of(word);
    if (!kind)
        throw refusal{400, "bad_request", "kind is " + word + ": there is no such kind of lock"};
    return *kind;
}

}  // namespace turnstile::admin
