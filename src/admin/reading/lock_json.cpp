// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/lock_json.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "support/hexadecimal.hpp"

namespace turnstile::admin {

std::string utc(std::chrono::system_clock::time_point time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const auto rest = std::chrono::floor<std::chrono::milliseconds>(time - seconds);
    const std::time_t plain = std::chrono::system_clock::to_time_t(seconds);
    std::tm parts{};
    ::gmtime_r(&plain, &parts);
    std::array<char, 24> day{};
    std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::array<char, 8> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>(rest.count()));
    return std::string{day.data()} + fraction.data();
}

json json_of(const contender& each) {
    const auto& said = each.metadata;
    return {{"znode", each.name},
            {"kind", to_string(each.kind)},
            {"position", each.position},
            {"permits", each.permits},
            {"sequence", each.sequence},
            {"token", each.token.to_string()},
            {"session", support::hexadecimal_number(each.session_id)},
            {"created", utc(each.created)},
            {"host", said.host},
            {"pid", said.pid},
            {"thread", said.thread},
            {"label", said.label},
            {"owner", said.owner},
            {"session_timeout_ms", said.timeout},
            {"text", said.text}};
}

json json_of(const std::vector<contender>& contenders) {
    auto all = json::array();
    for (const auto& each : contenders) all.push_back(json_of(each));
    return all;
}

json json_of(const surveyed_lock& lock) {
    json result{
        {"path", lock.path}, {"kind", to_string(lock.kind)}, {"contenders", lock.contenders}};
    result["permits"] = lock.permits ? json(*lock.permits) : json(nullptr);
    result["holders"] = json_of(lock.holders);
    result["waiters"] = json_of(lock.waiters);
    return result;
}

std::string printed(const json& value) {
    return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace turnstile::admin
