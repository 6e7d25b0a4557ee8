// SPDX-License-Identifier: Apache-2.0
#include "client/session_calls.hpp"

#include <utility>
#include <variant>

#include "base/log.hpp"
#include "base/release_if_empty.hpp"

namespace turnstile::detail {

std::vector<core::contender_id> session_calls::ids() const {
    std::vector<core::contender_id> all;
    for (const auto& [id, call] : calls_) all.push_back(id);
    return all;
}

void session_calls::tell(const core::notice& news, const std::shared_ptr<lease_view>& lease,
                         std::uint64_t connection, contender_counts& counts) {
    const auto found = calls_.find(news.id);
    if (found == calls_.end()) return;
    auto call = found->second;
    if (std::holds_alternative<core::entered>(news.event) && call->enters_first())
        counts.count_entry();
    if (call->has_entered()) counts.count(news);
    if (std::holds_alternative<core::position_known>(news.event) && call->begins_to_wait())
        counts.count_wait();
    if (log::enabled(log_level::debug))
        log::write(log_level::debug, "{}: {}", call->path(), core::notice_text(news));
    if (std::holds_alternative<core::contended>(news.event)) return news_.contended.push_back(call);
    if (std::holds_alternative<core::lost>(news.event)) lost_.push_back(call);
    const bool over = std::holds_alternative<core::gone>(news.event);
    if (over) {
        calls_.erase(found);
        base::release_if_empty(calls_);
    }
    if (call->tell(news, lease, connection) || over) news_.woken.push_back(std::move(call));
}

// Stop callbacks of lost holds do not run on the callback queue, because a callback that runs there may wait for the
// loss. They run in parallel, because one of them may wait for another. `calls_` or `news_` also owns each lost call,
// so clear() destroys no call.
session_news session_calls::take_news() {
    for (const auto& call : lost_) call->post_trigger();
    lost_.clear();
    return std::exchange(news_, {});
}

}  // namespace turnstile::detail
