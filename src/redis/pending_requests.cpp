// SPDX-License-Identifier: Apache-2.0
#include "redis/pending_requests.hpp"

#include <algorithm>
#include <utility>

#include "local/client_watches.hpp"

namespace turnstile::redis {

void pending_requests::settle(core::reply&& reply) {
    pending_request request;
    request.id = reply.id;
    request.settled = std::move(reply);
    add(std::move(request));
}

std::optional<pending_request> pending_requests::take_first() {
    if (queue_.empty()) return std::nullopt;
    auto first = std::move(queue_.front());
    queue_.pop_front();
    return first;
}

void pending_requests::put_back(pending_request&& request) {
    if (request.settled && request.list) {
        pending_request list;
        list.id = request.list->id;
        list.sent = request.sent;
        list.op = std::move(std::exchange(request.list, std::nullopt)->op);
        list.settled = request.settled;
        list.settled->id = list.id;
        queue_.push_front(std::move(list));
    }
    queue_.push_front(std::move(request));
}

std::optional<core::reply> pending_requests::take_settled() {
    if (queue_.empty() || !queue_.front().settled) return std::nullopt;
    return std::move(take_first()->settled);
}

std::optional<core::time_point> pending_requests::awaited_since() const {
    if (queue_.empty() || queue_.front().settled) return std::nullopt;
    return queue_.front().sent;
}

std::size_t pending_requests::unanswered() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(queue_, [](const auto& each) { return !each.settled; }));
}

std::set<std::string> pending_requests::watched_paths() const {
    std::set<std::string> found;
    for (const auto& each : queue_) {
        if (const auto* path = local::watched_path(each.op)) found.insert(*path);
        if (!each.list) continue;
        if (const auto* path = local::watched_path(each.list->op)) found.insert(*path);
    }
    return found;
}

}  // namespace turnstile::redis
