// SPDX-License-Identifier: Apache-2.0
// rate_rule: decides whether there is room for a further entry, as a pure function of stamps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/node/stamped_data.hpp"
#include "turnstile/rate_gate.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Entries that free their places together, a period after the latest of them.
struct rate_group {
    std::int64_t latest = 0;  // the stamp in milliseconds, by the leader's clock
    std::size_t entries = 1;
    friend bool operator==(const rate_group&, const rate_group&) = default;
};

// The content of the record. A rule for up to k_most_groups entries has a group for each entry. A rule for more puts
// the entries of a slot (a k_slots-th of the period) into one group, so that there are at most k_most_groups.
// A group counts its entries as if all came with its latest: room may come back one slot late, and never early.
struct rate_record {
    static constexpr std::size_t k_most_groups = 60;
    static constexpr std::int64_t k_slots =
        59;  // a period can begin inside a slot, and touches one more then

    std::size_t entries = 1;
    std::int64_t period = 0;
    std::vector<rate_group> groups{};  // by stamp
    friend bool operator==(const rate_record&, const rate_record&) = default;

    void add(const rate_group& more);
    // The number of entries that have a place.
    [[nodiscard]] std::size_t entered() const;

    // "entries=100 period=60000 at=1763724876000*17,1763724877012": a group's latest stamp, and its entries if it has
    // more than one. The newest entry is left out: its stamp is the znode's mtime, which the servers give to the
    // write.
    [[nodiscard]] std::string to_string() const;
    // nullopt if the text is no record. `written`: the znode's mtime, which is the newest entry's stamp.
    [[nodiscard]] static std::optional<rate_record> parse(std::string_view text,
                                                          std::int64_t written);
};

// The record of a rule without entries so far. bad_option: the rule makes no sense.
[[nodiscard]] result<rate_record> empty_record(const rate_rule& rule);

// Reads the data of the znode `<path>-record`. protocol: it is no record; bad_option: it has another rule.
[[nodiscard]] result<rate_record> record_of(const rate_record& rule, const stamped_data& found,
                                            const std::string& path);

// Drops old entries: an entry at s takes its place up to, and not including, s + period.
void forget_old(rate_record& record, std::int64_t now);
// The time until there is room for one more entry; zero or less if there is room. Call it after forget_old.
[[nodiscard]] std::int64_t wait_for_room(const rate_record& record, std::int64_t now);
// The error `busy`, for a caller that does not wait.
[[nodiscard]] error no_room(const rate_record& record, std::int64_t wait, const std::string& path);

}  // namespace turnstile::detail
