// SPDX-License-Identifier: Apache-2.0
// rate_rule: whether a further entry has room, as a pure function of stamps.
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

// Entries that give their places up together, a period after the latest of them.
struct rate_group {
    std::int64_t latest = 0;  // stamp, milliseconds of the leader's clock
    std::size_t entries = 1;
    friend bool operator==(const rate_group&, const rate_group&) = default;
};

// Content of the record. A rule of up to k_most_groups entries has a group for each entry. A rule of more counts the
// entries of a slot, a k_slots-th of the period, in one group, so that the record stays at k_most_groups groups. A group
// counts its entries as if all came with the latest: room may come back a slot late, and never early.
struct rate_record {
    static constexpr std::size_t k_most_groups = 60;
    static constexpr std::int64_t k_slots =
        59;  // a period that begins inside a slot touches one more

    std::size_t entries = 1;
    std::int64_t period = 0;
    std::vector<rate_group> groups{};  // in the order of their stamps
    friend bool operator==(const rate_record&, const rate_record&) = default;

    void add(const rate_group& more);
    // Entries that have a place.
    [[nodiscard]] std::size_t entered() const;

    // "entries=100 period=60000 at=1763724876000*17,1763724877012": a group's latest stamp, and its entries if it
    // has more than one. The newest entry is not in it: its stamp is the znode's own, which the servers give to the
    // write.
    [[nodiscard]] std::string to_string() const;
    // Nothing if the text is no record. `written`: the znode's mtime, the newest entry's stamp.
    [[nodiscard]] static std::optional<rate_record> parse(std::string_view text,
                                                          std::int64_t written);
};

// The record of a rule that nobody has entered by. bad_option: the rule is none.
[[nodiscard]] result<rate_record> empty_record(const rate_rule& rule);

// What the znode `<path>-record` says, as it was found. protocol: it is no record; bad_option: its rule is another one.
[[nodiscard]] result<rate_record> record_of(const rate_record& rule, const stamped_data& found,
                                            const std::string& path);

// Drops what is over: an entry at s takes its place up to, and not including, s + period.
void forget_old(rate_record& record, std::int64_t now);
// How long until there is room for one more; zero or less: there is. After forget_old.
[[nodiscard]] std::int64_t wait_for_room(const rate_record& record, std::int64_t now);
// `busy`, for a caller that does not wait.
[[nodiscard]] error no_room(const rate_record& record, std::int64_t wait, const std::string& path);

}  // namespace turnstile::detail
