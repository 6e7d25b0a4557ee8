// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_knowledge.hpp"

#include <utility>

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

// True if the servers do not know the request, or may not know it. Apache ZooKeeper 3.5 or later knows all requests
// that this class judges, so the end of a connection to it proves nothing.
bool server_knowledge::lacks(const request_knowledge& request) const noexcept {
    return request.is_refused() ||
           (request.is_doubted() && software_ != server_software::zookeeper);
}

std::optional<create_step> server_knowledge::first_step(core::create_mode mode) const {
    if (mode != core::create_mode::container)
        return lacks(known_.create2) ? create_step::create : create_step::create2;
    if (lacks(known_.containers)) return std::nullopt;
    return create_step::container;
}

void server_knowledge::learn_removal(std::uint64_t connection, const judged_code& word,
                                     bool closed) {
    learn(known_.removals, connection, word, closed);
}

void server_knowledge::learn_create(create_step step, std::uint64_t connection,
                                    const judged_code& word, bool closed) {
    if (step == create_step::container) learn(known_.containers, connection, word, closed);
    if (step == create_step::create2) learn(known_.create2, connection, word, closed);
}

void server_knowledge::learn(request_knowledge& request, std::uint64_t connection,
                             const judged_code& word, bool closed) {
    if (word.outcome != core::outcome::answered) {
        // The server may have ended the connection because it does not know the request. Exceptions: Apache ZooKeeper
        // knows the request, and close() may have ended the connection.
        if (!closed && software_ != server_software::zookeeper) request.cut_off(this, connection);
    } else if (word.error == core::server_error::unimplemented) {
        request.refused();
    } else {
        request.answered();
    }
}

bool server_knowledge::begin_examination(server_answers& told) {
    if (told.software == server_software::unknown) told.software = software_;
    software_ = told.software;
    return software_ == server_software::unknown && examines_ && !std::exchange(examined_, true);
}

server_answers server_knowledge::examined(core::server_error answer, server_answers told) {
    if (answer == core::server_error::unimplemented) {
        told.software = server_software::another;
    } else if (core::proves_quorum(answer)) {
        told.software = server_software::zookeeper;
    }
    software_ = told.software;
    examined_ = software_ != server_software::unknown;
    return told;
}

}  // namespace turnstile::zookeeper
