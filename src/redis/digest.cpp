// SPDX-License-Identifier: Apache-2.0
#include "redis/digest.hpp"

#include <fmt/core.h>

#include <boost/uuid/detail/sha1.hpp>

namespace turnstile::redis {

std::string sha1_in_hex(std::string_view text) {
    boost::uuids::detail::sha1 hash;
    hash.process_bytes(text.data(), text.size());
    unsigned digest[5] = {};
    hash.get_digest(digest);
    std::string out;
    for (const unsigned word : digest) out += fmt::format("{:08x}", word);
    return out;
}

}  // namespace turnstile::redis
