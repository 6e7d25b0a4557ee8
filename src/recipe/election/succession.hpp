// SPDX-License-Identifier: Apache-2.0
// succession: how leadership is moved to a named participant, as pure decisions.
//
// A leader that hands over writes a *hint* into the data of the election's folder, by a commit under its
// hold, and resigns. The next leader reads it first:
//
//   no hint, or a meaningless text          leads
//   the hint names it                       wipes the hint, and leads
//   the hint is used up or too old          wipes the hint, and leads
//   else                                    counts the hint down by one, steps aside: releases without
//                                           having worked, and queues again, behind the named one
//
// The hint may be counted down as often as participants took part when it was written, so that an
// election whose named participant has gone stops stepping aside after one round at the latest; and
// until an instant of the leader's clock. All changes are commits with the folder's version: two
// participants that each think they lead cannot both make one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::detail {

struct succession_hint {
    std::string successor;
    std::uint32_t steps = 0;  // so many participants may still step aside
    std::int64_t until = 0;   // milliseconds since 1970, by the leader's clock

    // "turnstile-successor=host-2 steps=3 until=1763724876000"; the name is escaped.
    [[nodiscard]] std::string to_string() const;
    // nullopt for any other text: the folder's data may be another client's.
    [[nodiscard]] static std::optional<succession_hint> parse(std::string_view text);
    friend bool operator==(const succession_hint&, const succession_hint&) = default;
};

// The decision of a granted participant: whether it leads, and the text to be written into the folder first.
struct succession_step {
    bool leads = true;
    std::optional<std::string> write;
    friend bool operator==(const succession_step&, const succession_step&) = default;
};

// `text`: the folder's data; `now`: the leader's clock.
[[nodiscard]] succession_step next_step(std::string_view text, std::string_view own_id,
                                        std::int64_t now);

}  // namespace turnstile::detail
