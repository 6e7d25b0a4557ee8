// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/request_knowledge.hpp"

namespace turnstile::zookeeper {

// Takes the lock only if the request does not already count as known to the servers.
void request_knowledge::answered() noexcept {
    if (finding_.load(std::memory_order_relaxed) == known_) return;
    const base::lock_guard lock{mutex_};
    finding_ = known_;
    ends_ = 0;
}

void request_knowledge::refused() noexcept {
    const base::lock_guard lock{mutex_};
    finding_ = refused_;
}

void request_knowledge::cut_off(const void* session, std::uint64_t connection) noexcept {
    const base::lock_guard lock{mutex_};
    if (finding_ == known_ || finding_ == refused_ ||
        (session == session_ && connection == connection_))
        return;
    session_ = session;
    connection_ = connection;
    if (++ends_ >= k_ends) finding_ = doubted_;
}

}  // namespace turnstile::zookeeper
