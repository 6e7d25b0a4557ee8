// SPDX-License-Identifier: Apache-2.0
#include "cli/waiting_line.hpp"

#include <algorithm>

#include "cli/duration.hpp"
#include "cli/printable.hpp"

namespace turnstile::cli {
namespace {

std::string identity(const contender& holder) {
    const auto& said = holder.metadata;
    if (said.host.empty()) return said.text.empty() ? "another client" : said.text;
    std::string text = said.host;
    if (!said.pid.empty()) text += ", pid " + said.pid;
    if (!said.label.empty()) text += ", " + said.label;
    return text;
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

std::string waiting_line(std::string_view path, std::size_t ahead,
                         const std::vector<contender>& queue,
                         std::chrono::system_clock::time_point now) {
    std::string line{path};
    line += ": waiting, ";
    if (queue.size() <= ahead) return printable(line + std::to_string(ahead) + " ahead");
    line += ordinal(ahead + 1) + " of " + std::to_string(queue.size());
    const auto& first = queue.front();
    const auto there = std::chrono::floor<std::chrono::seconds>(now - first.created);
    line += "; first is " + identity(first) + ", there for " +
            duration_text(std::max(there, std::chrono::seconds{0}));
    return printable(line);
}

}  // namespace turnstile::cli
