// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_knowledge.hpp"

#include <utility>

namespace turnstile::zookeeper {

// True if the servers do not know the request, or may not know it. Apache ZooKeeper 3.5 or later knows it, so
// connections that end prove nothing there.
bool server_knowledge::lacks(const request_knowledge& request) const noexcept {
    return request.is_refused() ||
           (request.is_doubted() && software_ != server_software::zookeeper);
}

bool server_knowledge::prepare_create(pending_request& p, const core::create_op& op) const {
    if (op.mode == core::create_mode::container) {
        p.step = pending_request::create_step::container;
        return !lacks(known_.containers);
    }
    p.step = lacks(known_.create2) ? pending_request::create_step::create
                                   : pending_request::create_step::create2;
    p.created_bytes = static_cast<std::int32_t>(op.data.size());
    return true;
}

void server_knowledge::learn_removal(const pending_request& p, const verdict& word, bool closed) {
    learn(known_.removals, p, word, closed);
}

void server_knowledge::learn_create(const pending_request& p, const verdict& word, bool closed) {
    if (p.step == pending_request::create_step::container)
        learn(known_.containers, p, word, closed);
    if (p.step == pending_request::create_step::create2) learn(known_.create2, p, word, closed);
}

void server_knowledge::learn(request_knowledge& request, const pending_request& p,
                             const verdict& word, bool closed) {
    if (word.outcome != core::outcome::answered) {
        // An end of the connection counts only if the server may not know the request, and close() is not its cause.
        if (!closed && software_ != server_software::zookeeper)
            request.cut_off(this, p.answer.connection);
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
