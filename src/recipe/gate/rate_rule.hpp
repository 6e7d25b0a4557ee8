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

// What the record says. Stamps in milliseconds of the leader's clock, in the order of the entries.
struct rate_record {
    std::size_t entries = 1;
    std::int64_t period = 0;
    std::vector<std::int64_t> stamps;
    friend bool operator==(const rate_record&, const rate_record&) = default;

    // "entries=100 period=60000 at=1763724876000,1763724876012"; the newest entry is not in it: its stamp
    // is the znode's own, which the servers give to the write.
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
