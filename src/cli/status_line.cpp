// SPDX-License-Identifier: Apache-2.0
#include "cli/status_line.hpp"

#include <string_view>

#include "admin/reading/lock_json.hpp"

namespace turnstile::cli {
namespace {

using admin::json;

// A line must be short enough for one write to a pipe, even if each byte is escaped as \uNNNN.
std::string_view shortened(std::string_view text) {
    return text.substr(0, 256);
}

std::string line_of(const json& event) {
    return admin::printed(event) + '\n';
}

std::string time_line(const char* event, boottime_clock::time_point valid_until) {
    return line_of({{"event", event}, {"valid_until", valid_until.time_since_epoch().count()}});
}

}  // namespace

std::string confirmed_line(boottime_clock::time_point valid_until) {
    return time_line("confirmed", valid_until);
}

std::string at_risk_line(boottime_clock::time_point valid_until) {
    return time_line("at_risk", valid_until);
}

std::string asked_line(const release_request& request) {
    return line_of({{"event", "asked_to_release"},
                    {"who", shortened(request.who)},
                    {"why", shortened(request.why)}});
}

std::string lost_line(const error& why) {
    return line_of({{"event", "lost"}, {"why", shortened(why.message())}});
}

}  // namespace turnstile::cli
