// SPDX-License-Identifier: Apache-2.0
// succession: moves the lead of an election to a named participant, as pure decisions.
//
// A leader that hands over writes a *hint* into the data of the election's folder, by a commit under its hold, and
// resigns. Each participant that is granted the lead reads the hint first:
//
// | hint                        | action                                                                             |
// |-----------------------------|------------------------------------------------------------------------------------|
// | none, or a meaningless text | leads                                                                              |
// | names this participant      | removes the hint, and leads                                                        |
// | is used up, or is too old   | removes the hint, and leads                                                        |
// | names another participant   | reduces the hint's count by one, steps aside (gives up the lead), and queues again |
//
// The count begins with the number of participants at the time of the hint. So if the named participant has gone, the
// others step aside at most this many times. The hint also contains an end time, by the clock of the servers' leader.
// All changes are commits that require the folder's version. So of two participants that each believe to lead, only one
// can change the hint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::detail {

struct succession_hint {
    std::string successor;
    std::uint32_t steps = 0;  // number of participants that may still step aside
    std::int64_t until = 0;   // milliseconds since 1970, by the clock of the servers' leader

    // Returns a text like "turnstile-successor=host-2 steps=3 until=1763724876000", with the name escaped.
    [[nodiscard]] std::string to_string() const;
    // Parses the output of to_string(). Returns nothing for any other text, because another client may have written the
    // folder's data.
    [[nodiscard]] static std::optional<succession_hint> parse(std::string_view text);
    friend bool operator==(const succession_hint&, const succession_hint&) = default;
};

// The decision of a participant that was granted the lead: whether the participant leads, and a text that it must first
// write into the folder.
struct succession_step {
    bool leads = true;
    std::optional<std::string> write;
    friend bool operator==(const succession_step&, const succession_step&) = default;
};

// Decides whether the participant `own_id`, which was granted the lead, leads, and what it must first write. `text`:
// the data of the election's folder. `now`: the time by the clock of the servers' leader.
[[nodiscard]] succession_step next_step(std::string_view text, std::string_view own_id,
                                        std::int64_t now);

}  // namespace turnstile::detail
