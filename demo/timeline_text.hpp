// SPDX-License-Identifier: Apache-2.0
// timeline_text: the picture of a run in the terminal, one character for a slice of time.
#pragma once

#include <string>

#include "text.hpp"
#include "timeline.hpp"

namespace demo {

[[nodiscard]] std::string to_text(const timeline& t, const terminal& out);

}  // namespace demo
