// SPDX-License-Identifier: Apache-2.0
#include "cli/survey_json.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

namespace turnstile::cli {
namespace {

using json = nlohmann::ordered_json;

std::string hexadecimal(std::int64_t id) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(id));
    return text.data();
}

// "2026-11-21T04:38:36.123Z"
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

json json_of(const contender& one) {
    const auto& said = one.metadata;
    return {{"znode", one.name},
            {"kind", to_string(one.kind)},
            {"position", one.position},
            {"permits", one.permits},
            {"sequence", one.sequence},
            {"token", one.token.to_string()},
            {"session", hexadecimal(one.session_id)},
            {"created", utc(one.created)},
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
    for (const auto& one : contenders) all.push_back(json_of(one));
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

}  // namespace

std::string survey_json(const lock_survey& survey) {
    json result{{"locks", json::array()}, {"unreadable", survey.unreadable}};
    for (const auto& lock : survey.locks) result["locks"].push_back(json_of(lock));
    return result.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace turnstile::cli
