// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/snapshot.hpp"

#include <algorithm>
#include <array>

namespace turnstile::admin {
namespace {

bool same_contenders(const std::vector<contender>& a, const std::vector<contender>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const contender& x, const contender& y) {
            return x.name == y.name && x.token == y.token && x.metadata.text == y.metadata.text;
        });
}

}  // namespace

bool is_unread(const surveyed_lock& lock) noexcept {
    return lock.holders.empty() && lock.waiters.empty();
}

std::size_t waiters_of(const surveyed_lock& lock) noexcept {
    const std::size_t holders = is_unread(lock) ? 1 : lock.holders.size();
    return lock.contenders - std::min(holders, lock.contenders);
}

lock_totals totals_of(const lock_survey& survey) {
    lock_totals totals;
    std::set<std::int64_t> sessions;
    totals.locks = survey.locks.size();
    totals.unreadable = survey.unreadable.size();
    for (const auto& lock : survey.locks) {
        totals.contenders += lock.contenders;
        if (is_unread(lock) || !lock.holders.empty()) ++totals.held;
        if (waiters_of(lock) > 0) ++totals.contended;
        for (const auto* part : {&lock.holders, &lock.waiters})
            for (const auto& each : *part) sessions.insert(each.session_id);
    }
    totals.sessions = sessions.size();
    return totals;
}

std::optional<std::size_t> place_of(const lock_survey& survey, std::string_view path,
                                    lock_kind kind) {
    const auto& locks = survey.locks;
    auto found = std::lower_bound(
        locks.begin(), locks.end(), path,
        [](const surveyed_lock& lock, std::string_view wanted) { return lock.path < wanted; });
    for (; found != locks.end() && found->path == path; ++found)
        if (found->kind == kind) return static_cast<std::size_t>(found - locks.begin());
    return std::nullopt;
}

bool same_queue(const surveyed_lock& a, const surveyed_lock& b) {
    return a.contenders == b.contenders && a.permits == b.permits &&
           same_contenders(a.holders, b.holders) && same_contenders(a.waiters, b.waiters);
}

std::optional<lock_kind> lock_kind_of(std::string_view word) {
    for (const auto kind : {lock_kind::mutex, lock_kind::latch, lock_kind::shared_mutex,
                            lock_kind::semaphore, lock_kind::kazoo})
        if (word == to_string(kind)) return kind;
    return std::nullopt;
}

}  // namespace turnstile::admin
