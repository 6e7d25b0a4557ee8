// SPDX-License-Identifier: Apache-2.0
// timeline_svg: the picture of a run as an SVG page, readable on light and on dark ground.
#pragma once

#include <string>

#include "record.hpp"
#include "timeline.hpp"

namespace demo {

// `with_lock` is what the timeline shows; from both runs it draws how often each item was sold.
[[nodiscard]] std::string to_svg(const timeline& t, const run_record& with_lock,
                                 const run_record& without_lock);

}  // namespace demo
