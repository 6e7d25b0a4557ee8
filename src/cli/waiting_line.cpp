// SPDX-License-Identifier: Apache-2.0
#include "cli/waiting_line.hpp"

#include "cli/printable.hpp"
#include "cli/survey_text.hpp"

namespace turnstile::cli {
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
    line += "; first is " + identity_of(first) + ", there for " + age_of(first, now);
    return printable(line);
}

}  // namespace turnstile::cli
