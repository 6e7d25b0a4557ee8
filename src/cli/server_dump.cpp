// SPDX-License-Identifier: Apache-2.0
#include "cli/server_dump.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace turnstile::cli {
namespace {

std::string_view next_line(std::string_view& text) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

// Parses a session id such as "0x1000..." at the start of the text.
std::optional<std::int64_t> session_at(std::string_view text) {
    if (!text.starts_with("0x")) return std::nullopt;
    std::uint64_t id = 0;
    const auto read = std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
    if (read.ec != std::errc{}) return std::nullopt;
    return static_cast<std::int64_t>(id);
}

std::string_view after(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    return at == std::string_view::npos ? std::string_view{} : text.substr(at + label.size());
}

}  // namespace

// Parses lines such as " /10.0.0.7:48572[1](queued=0,...,sid=0x100000001,...,to=30000,...)".
std::map<std::int64_t, session_connection> parse_cons(std::string_view answer) {
    std::map<std::int64_t, session_connection> found;
    while (!answer.empty()) {
        const auto line = next_line(answer);
        const auto details = line.find('(');
        const auto bracket = line.substr(0, details).rfind('[');
        const auto session = session_at(after(line, "sid="));
        if (details == std::string_view::npos || bracket == std::string_view::npos || !session)
            continue;
        const auto begin = line.find('/') + 1;
        if (begin > bracket) continue;
        const auto timeout = after(line, ",to=");
        std::int32_t milliseconds = 0;  // the servers' type
        std::from_chars(timeout.data(), timeout.data() + timeout.size(), milliseconds);
        found[*session] = {std::string{line.substr(begin, bracket - begin)},
                           std::chrono::milliseconds{std::max(milliseconds, 0)}};
    }
    return found;
}

// Parses a line such as "0x100000001:" and the lines after it, which have a tab before each path.
std::map<std::int64_t, std::vector<std::string>> parse_dump(std::string_view answer) {
    std::map<std::int64_t, std::vector<std::string>> found;
    answer = after(answer, "Sessions with Ephemerals");
    std::optional<std::int64_t> session;
    while (!answer.empty()) {
        const auto line = next_line(answer);
        if (line.starts_with("0x")) {
            session = session_at(line);
        } else if (line.starts_with("\t/") && session) {
            found[*session].emplace_back(line.substr(1));
        } else {
            session.reset();
        }
    }
    return found;
}

}  // namespace turnstile::cli
