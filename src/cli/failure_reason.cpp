// SPDX-License-Identifier: Apache-2.0
#include "cli/failure_reason.hpp"

#include <utility>

namespace turnstile::cli {
namespace {

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// "Socket 10.0.0.7:2181 zk retcode=-4, errno=111(Connection refused): server refused ..." as
// "10.0.0.7:2181: Connection refused: server refused ..."; nothing for other lines of the C client.
std::string reason_of_socket(std::string_view line) {
    constexpr std::string_view k_start = "Socket ";
    const auto open = line.find('(');
    const auto close = line.find(')', open);
    if (!line.starts_with(k_start) || close == std::string_view::npos) return {};
    const auto address =
        line.substr(k_start.size(), line.find(' ', k_start.size()) - k_start.size());
    const auto system_error = line.substr(open + 1, close - open - 1);
    return std::string{address} + ": " + std::string{system_error} +
           std::string{line.substr(close + 1)};
}

// "session 0x0: postgresql://db/shop: ..." without the session, which is none yet.
std::string_view without_session(std::string_view line) {
    const auto end = line.find(": ");
    return line.starts_with("session ") && end != std::string_view::npos ? line.substr(end + 2)
                                                                         : line;
}

// What the library has found out itself: "no session with a:1,b:1 for 5 s: a:1: Connection refused; ..."; or nothing.
std::string_view diagnosis_in(std::string_view line) {
    constexpr std::string_view k_end = " s: ";
    const auto end = line.find(k_end);
    return line.starts_with("no session with ") && end != std::string_view::npos
               ? line.substr(end + k_end.size())
               : std::string_view{};
}

// The states of sessions, outages that are over, and guardians have no reason to tell.
bool has_reason(log_level level, std::string_view line) {
    return level >= log_level::warning && !has(line, " -> ") && !has(line, ": the outage of ") &&
           !has(line, "guardian");
}

}  // namespace

void failure_reason::hear(log_level level, std::string_view line) {
    constexpr std::string_view k_client = "ZooKeeper client: ";
    if (line.starts_with(k_client)) {
        auto reason = reason_of_socket(line.substr(k_client.size()));
        if (!reason.empty() && !diagnosed_) latest_ = std::move(reason);
    } else if (has(line, " -> connected")) {
        *this = {};
    } else if (const auto diagnosis = diagnosis_in(line); !diagnosis.empty()) {
        latest_ = diagnosis;
        diagnosed_ = true;
    } else if (has_reason(level, line)) {
        latest_ = without_session(line);
    }
}

error failure_reason::explain(const error& failure) const {
    if (latest_.empty()) return failure;
    const auto& detail = failure.detail();
    if (detail.empty()) return {failure.code(), latest_};
    const bool is_behind_detail = latest_.starts_with(detail + ": ");
    if (!is_behind_detail && (has(detail, latest_) || has(latest_, detail))) return failure;
    const auto reason = is_behind_detail ? latest_.substr(detail.size() + 2) : latest_;
    return {failure.code(), detail + " (" + reason + ")"};
}

}  // namespace turnstile::cli
