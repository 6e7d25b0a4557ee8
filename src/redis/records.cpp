// SPDX-License-Identifier: Apache-2.0
#include "redis/records.hpp"

#include <cstdint>

namespace turnstile::redis {

std::optional<core::stat> parse_record(std::string_view head) noexcept {
    if (head.size() < k_record_head) return std::nullopt;
    byte_reader in{head};
    core::stat s;
    for (auto* const field :
         {&s.czxid, &s.mzxid, &s.pzxid, &s.ctime, &s.mtime, &s.ephemeral_owner}) {
        const auto number = in.whole_double();
        if (!number) return std::nullopt;
        *field = *number;
    }
    s.version = in.int32();
    const auto creates = static_cast<std::uint32_t>(in.int32());
    s.num_children = in.int32();
    // ZooKeeper's cversion is the number of creates plus the number of removals of children. The number of removals is
    // the number of creates minus the number of present children.
    s.cversion =
        static_cast<std::int32_t>(creates * 2U - static_cast<std::uint32_t>(s.num_children));
    return s;
}

std::optional<std::vector<core::watch_event>> parse_events(std::string_view text) {
    std::vector<core::watch_event> all;
    byte_reader in{text};
    while (in.left() != 0) {
        const auto kind = in.number(1);
        const auto path = in.sized_text();
        if (kind > static_cast<std::uint64_t>(core::watch_kind::children) || !path)
            return std::nullopt;
        all.push_back({static_cast<core::watch_kind>(kind), std::string{*path}, 0});
    }
    return all;
}

}  // namespace turnstile::redis
