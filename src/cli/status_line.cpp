// SPDX-License-Identifier: Apache-2.0
#include "cli/status_line.hpp"

#include <string_view>

#include "cli/printable.hpp"

namespace turnstile::cli {
namespace {

// A line must be short enough for one write to a pipe, even if each byte is escaped.
std::string_view shortened(std::string_view text) {
    return text.substr(0, 256);
}

std::string time_line(std::string_view event, boottime_clock::time_point valid_until) {
    return "{\"event\":" + json_string(event) +
           ",\"valid_until\":" + std::to_string(valid_until.time_since_epoch().count()) + "}\n";
}

}  // namespace

std::string confirmed_line(boottime_clock::time_point valid_until) {
    return time_line("confirmed", valid_until);
}

std::string at_risk_line(boottime_clock::time_point valid_until) {
    return time_line("at_risk", valid_until);
}

std::string asked_line(const release_request& request) {
    return "{\"event\":\"asked_to_release\",\"who\":" + json_string(shortened(request.who)) +
           ",\"why\":" + json_string(shortened(request.why)) + "}\n";
}

std::string lost_line(const error& why) {
    return "{\"event\":\"lost\",\"why\":" + json_string(shortened(why.message())) + "}\n";
}

}  // namespace turnstile::cli
