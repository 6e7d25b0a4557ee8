// SPDX-License-Identifier: Apache-2.0
#include "redis/records.hpp"

#include <cstdint>

#include "redis/byte_reader.hpp"

namespace turnstile::redis {

std::optional<core::stat> parse_record(std::string_view head) noexcept {
    if (head.size() < k_record_head) return std::nullopt;
    byte_reader in{head};
    core::stat s;
    s.czxid = in.whole_double();
    s.mzxid = in.whole_double();
    s.pzxid = in.whole_double();
    s.ctime = in.whole_double();
    s.mtime = in.whole_double();
    s.ephemeral_owner = in.whole_double();
    s.version = in.int32();
    const auto creates = static_cast<std::uint32_t>(in.int32());
    s.num_children = in.int32();
    // As ZooKeeper shows it: for every create there was a remove, but for the children that are there.
    s.cversion =
        static_cast<std::int32_t>(creates * 2U - static_cast<std::uint32_t>(s.num_children));
    return s;
}

std::optional<std::vector<core::watch_event>> parse_events(std::string_view text) {
    constexpr std::size_t k_head = 5;
    std::vector<core::watch_event> all;
    byte_reader in{text};
    while (in.left() != 0) {
        if (in.left() < k_head) return std::nullopt;
        const auto kind = in.number(1);
        const auto length = in.length();
        if (kind > static_cast<std::uint64_t>(core::watch_kind::children) || in.left() < length)
            return std::nullopt;
        all.push_back({static_cast<core::watch_kind>(kind), std::string{in.text(length)}, 0});
    }
    return all;
}

}  // namespace turnstile::redis
