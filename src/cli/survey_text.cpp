// SPDX-License-Identifier: Apache-2.0
#include "cli/survey_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "admin/reading/lock_json.hpp"
#include "cli/duration.hpp"
#include "cli/text_layout.hpp"
#include "support/utf8.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

// A contender's text may be as long as a znode's data, so a line shows only its first characters. `show --output json`
// shows all.
std::string beginning_of(std::string_view text) {
    constexpr std::size_t k_most_characters = 80;
    std::size_t end = 0;
    for (std::size_t count = 0; end < text.size(); ++count) {
        if (count == k_most_characters) return std::string{text.substr(0, end)} + "...";
        end += std::max<std::size_t>(support::decode_utf8(text.substr(end)).length, 1);
    }
    return std::string{text};
}

// A contender whose znode names no host has a text instead. In the text of an election's participant, the first line is
// the id, and the second line is data.
std::string name_of(const contender_metadata& said) {
    if (!said.host.empty()) return beginning_of(said.host);
    const std::string_view text{said.text};
    return beginning_of(text.substr(0, text.find('\n')));
}

std::string holders_text(const surveyed_lock& lock) {
    if (lock.holders.empty()) return "";
    auto text = identity_of(lock.holders.front());
    const auto others = lock.holders.size() - 1;
    if (others > 0) text += " and " + std::to_string(others) + (others == 1 ? " other" : " others");
    return text;
}

// Contenders whose znodes were not read count as waiters.
std::size_t waiting(const surveyed_lock& lock) {
    return lock.contenders - std::min(lock.contenders, lock.holders.size());
}

std::string kind_text(const surveyed_lock& lock) {
    std::string text = to_string(lock.kind);
    if (lock.permits) text += " of " + std::to_string(*lock.permits);
    return text;
}

std::string session_text(std::int64_t id) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(id));
    return text.data();
}

std::vector<std::string> cells_of(const contender& entry, const std::string& place, wall_time now,
                                  bool wide) {
    const auto& said = entry.metadata;
    std::vector<std::string> cells{place,
                                   name_of(said),
                                   beginning_of(said.pid),
                                   beginning_of(said.label),
                                   age_of(entry, now),
                                   entry.token.to_string()};
    if (wide) {
        cells.emplace_back(to_string(entry.kind));
        cells.push_back(session_text(entry.session_id));
        cells.push_back(entry.name);
    }
    return cells;
}

}  // namespace

std::string ordinal(std::size_t number) {
    const bool teens = number % 100 >= 11 && number % 100 <= 13;
    const char* ending = "th";
    if (!teens && number % 10 == 1) ending = "st";
    if (!teens && number % 10 == 2) ending = "nd";
    if (!teens && number % 10 == 3) ending = "rd";
    return std::to_string(number) + ending;
}

std::string identity_of(const contender& entry) {
    const auto& said = entry.metadata;
    auto text = name_of(said);
    if (text.empty()) return "another client";
    if (!said.pid.empty()) text += ", pid " + beginning_of(said.pid);
    if (!said.label.empty()) text += ", " + beginning_of(said.label);
    return text;
}

std::string age_of(const contender& entry, wall_time now) {
    const auto age = std::chrono::floor<std::chrono::seconds>(now - entry.created);
    return duration_text(std::max(age, std::chrono::seconds{0}));
}

std::string nothing_text(const lock_survey& survey, const std::string& folder) {
    auto text = "no lock is held or waited for below " + support::visible(folder);
    return survey.unreadable.empty() ? text : text + ", as far as this client may read";
}

std::string list_text(const lock_survey& survey, wall_time now) {
    table lines{{"LOCK", "KIND", "HELD BY", "AGE", "WAITING"}};
    for (const auto& lock : survey.locks)
        lines.add({lock.path, kind_text(lock), holders_text(lock),
                   lock.holders.empty() ? "" : age_of(lock.holders.front(), now),
                   std::to_string(waiting(lock))});
    return survey.locks.empty() ? "" : lines.text();
}

std::string queue_text(const surveyed_lock& lock, wall_time now, bool wide) {
    std::vector<std::string> titles{"PLACE", "HOST", "PID", "LABEL", "AGE", "TOKEN"};
    if (wide) titles.insert(titles.end(), {"KIND", "SESSION", "ZNODE"});
    table lines{titles};
    for (const auto& entry : lock.holders) lines.add(cells_of(entry, "holds", now, wide));
    std::size_t place = 0;
    for (const auto& entry : lock.waiters) lines.add(cells_of(entry, ordinal(++place), now, wide));
    auto text = support::visible(lock.path) + "  " + kind_text(lock) + ", " +
                std::to_string(lock.contenders) +
                (lock.contenders == 1 ? " contender\n" : " contenders\n") + lines.text();
    const auto read = lock.holders.size() + lock.waiters.size();
    if (read < lock.contenders)
        text += "... and " + std::to_string(lock.contenders - read) + " more\n";
    return text;
}

std::string waiting_line(std::string_view path, std::size_t ahead,
                         const std::vector<contender>& queue,
                         std::chrono::system_clock::time_point now) {
    std::string line{path};
    line += ": waiting, ";
    if (queue.size() <= ahead)
        return support::visible(line + std::to_string(ahead) +
                                (ahead == 1 ? " contender ahead" : " contenders ahead"));
    line += ordinal(ahead + 1) + " of " + std::to_string(queue.size());
    const auto& first = queue.front();
    line += "; first is " + identity_of(first) + ", in the queue for " + age_of(first, now);
    return support::visible(line);
}

std::string survey_json(const lock_survey& survey) {
    admin::json result{{"locks", admin::json::array()}, {"unreadable", survey.unreadable}};
    for (const auto& lock : survey.locks) result["locks"].push_back(admin::json_of(lock));
    return admin::printed(result) + '\n';
}

}  // namespace turnstile::cli
