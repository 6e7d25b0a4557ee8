// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/multi_parts.hpp"

#include <utility>

#include "base/inner_error.hpp"
#include "client/internals.hpp"

namespace turnstile::detail {

namespace {

std::string all_paths(const std::vector<any_lock>& locks) {
    std::string text;
    for (const auto& lock : locks) text += (text.empty() ? "" : ", ") + lock.path();
    return text;
}

// Returns the queue of each lock if the locks can be tried together; otherwise nothing. Locks can be tried together if
// they all use one client. With several clients, one lock would be held while another lock waits for other servers.
std::vector<const queue_lock*> queues_of(const std::vector<any_lock>& locks) {
    std::vector<const queue_lock*> queues;
    for (const auto& lock : locks) {
        const auto* const queue = exclusive_queue::of(lock);
        if (queue == nullptr) return {};
        if (!queues.empty() && queue->servers() != queues.front()->servers()) return {};
        queues.push_back(queue);
    }
    return queues;
}

}  // namespace

const queue_lock* exclusive_queue::of(const any_lock& lock) noexcept {
    return lock.lock_->exclusive_queue();
}

part_locks::part_locks(std::vector<any_lock> locks)
    : locks_{std::move(locks)}, queues_{queues_of(locks_)}, paths_{all_paths(locks_)} {}

error part_locks::error_of(std::size_t which, const error& why) const {
    return base::named(locks_[which].name(), why);
}

error part_locks::lease_ended() const {
    return {errc::session_lost,
            paths_ + ": the lease of a part ended before all parts were granted"};
}

}  // namespace turnstile::detail
