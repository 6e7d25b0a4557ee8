// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/lock_reader.hpp"

#include <algorithm>
#include <utility>

#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr std::chrono::seconds k_recent{1};
constexpr std::chrono::seconds k_patience{10};
constexpr std::size_t k_kept = 16;
constexpr std::size_t k_requests_a_token = 100;

refusal refusal_of(const error& failure) {
    const auto code = failure.code();
    if (code == errc::bad_path) return {400, "bad_request", failure.message()};
    if (code == errc::no_permission) return {403, "no_permission", failure.message()};
    return {503, "servers", failure.message()};
}

}  // namespace

lock_reader::lock_reader(const client& servers, std::stop_token end,
                         const reading_settings& settings)
    : servers_{servers},
      end_{std::move(end)},
      budget_{{.per_second = static_cast<double>(settings.requests_per_second) /
                             static_cast<double>(k_requests_a_token),
               .at_once = 2.0 * static_cast<double>(k_deepest / k_requests_a_token)}} {}

const lock_reader::reading* lock_reader::recent(const std::string& path, std::size_t most,
                                                boottime_clock::time_point now) const {
    for (const auto& each : recent_)
        if (each.path == path && each.most >= most && now - each.at < k_recent) return &each;
    return nullptr;
}

void lock_reader::charge(std::size_t most, boottime_clock::time_point now) {
    for (std::size_t i = 0; i <= most / k_requests_a_token; ++i)
        if (!budget_.take({}, now))
            throw refusal{429, "too_many",
                          "browsers have requested too many queues; try again later"};
}

std::vector<surveyed_lock> lock_reader::read(const std::string& path, std::size_t most) {
    const std::lock_guard lock{mutex_};
    const auto now = boottime_clock::now();
    most = std::min(most, k_deepest);
    if (const auto* known = recent(path, most, now)) return known->locks;
    charge(most, now);
    auto found = locks_at(servers_, path, {.timeout = k_patience, .stop = end_, .most_read = most});
    if (!found) throw refusal_of(found.error());
    std::erase_if(recent_, [&](const auto& each) { return each.path == path; });
    recent_.push_front({path, most, boottime_clock::now(), std::move(*found)});
    if (recent_.size() > k_kept) recent_.pop_back();
    return recent_.front().locks;
}

}  // namespace turnstile::admin
