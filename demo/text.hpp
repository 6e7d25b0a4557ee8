// SPDX-License-Identifier: Apache-2.0
// text: how the demo writes durations, and what the terminal can show.
#pragma once

#include <string>
#include <string_view>

#include "events.hpp"

namespace demo {

[[nodiscard]] std::string in_seconds(duration d);       // "4.21 s"
[[nodiscard]] std::string in_milliseconds(duration d);  // "12.3 ms", from a second on "4.21 s"

enum class tint { plain, strong, dim, green, red, yellow, blue, blue_ground, yellow_ground };

// Standard output.
struct terminal {
    bool live = false;      // a terminal: lines can be rewritten
    bool coloured = false;  // a terminal, and NO_COLOR is unset
    int width = 100;        // in columns

    [[nodiscard]] static terminal detect();
    // `text` in that colour, or as it is where colours are off.
    [[nodiscard]] std::string paint(tint colour, std::string_view text) const;
};

}  // namespace demo
