// SPDX-License-Identifier: Apache-2.0
// c_session: servers that know no more requests than ZooKeeper 3.4: no create2, no removal of watches.
//
// Then a create consists of two requests: the create, whose answer is the path, and a read of the new znode's Stat.
// If the second one fails, or is answered on another connection, the outcome of the create is unknown: the caller
// looks for it, as after any lost answer.
#include <utility>

#include "zookeeper/answers.hpp"
#include "zookeeper/c_session.hpp"

namespace turnstile::zookeeper {

namespace {

// The Stat that a znode had at its creation, derived from a later one.
core::stat as_created(const core::stat& later, std::int32_t bytes) {
    core::stat first;
    first.czxid = first.mzxid = first.pzxid = later.czxid;
    first.ctime = first.mtime = later.ctime;
    first.ephemeral_owner = later.ephemeral_owner;
    first.data_length = bytes;
    return first;
}

}  // namespace

// A broken connection raises no doubt if the server is Apache ZooKeeper 3.5 or later.
bool c_session::lacks(const request_knowledge& request) const noexcept {
    return request.is_refused() ||
           (request.is_doubted() && software_ != server_software::zookeeper);
}

// Returns false if the servers do not know the request, and no other request replaces it.
bool c_session::prepare_create(pending_request& p, const core::create_op& op) const {
    if (op.mode == core::create_mode::container) {
        p.step = pending_request::create_step::container;
        return !lacks(known_->requests.containers);
    }
    p.step = lacks(known_->requests.create2) ? pending_request::create_step::create
                                             : pending_request::create_step::create2;
    p.created_bytes = static_cast<std::int32_t>(op.data.size());
    return true;
}

// Returns true if the reply is incomplete, and another request is in progress. `word` is the previous answer's
// verdict, and becomes the reply's.
bool c_session::goes_on(pending_request& p, verdict& word) {
    switch (p.step) {
        case pending_request::create_step::none: break;
        case pending_request::create_step::container:
            learn(known_->requests.containers, p, word);
            break;
        case pending_request::create_step::create2:
            learn(known_->requests.create2, p, word);
            // The caller repeats it with the other two requests. Many servers close the connection after this answer.
            if (word.error == core::server_error::unimplemented)
                word = {core::outcome::not_sent, core::server_error::ok};
            break;
        case pending_request::create_step::create: return reads_created(p, word);
        case pending_request::create_step::stat:
            if (word.error == core::server_error::ok && word.outcome == core::outcome::answered &&
                connection_ == p.answer.connection) {
                p.answer.stat = as_created(p.answer.stat, p.created_bytes);
            } else {
                leave_open(p, word);
            }
            break;
    }
    return false;
}

void c_session::learn(request_knowledge& request, const pending_request& p, const verdict& word) {
    if (word.outcome != core::outcome::answered) {
        // The connection was ended neither by a server that knows the request nor by our own close().
        if (!closed_ && software_ != server_software::zookeeper)
            request.cut_off(this, p.answer.connection);
    } else if (word.error == core::server_error::unimplemented) {
        request.refused();
    } else {
        request.answered();
    }
}

bool c_session::reads_created(pending_request& p, verdict& word) {
    if (word.outcome != core::outcome::answered || word.error != core::server_error::ok)
        return false;
    p.answer.connection = connection_;
    // The move to the leader waits for requests in progress, so the second half may still be sent.
    const bool linked = phase_ == phase::attached || phase_ == phase::moving;
    if (closed_ || !linked || hand_over_stat(handle_, p) != ZOK) {
        leave_open(p, word);
        return false;
    }
    p.step = pending_request::create_step::stat;
    pending_.handed_over();
    line_.expect(p);
    return true;
}

// The second half may remain in the C client on a dead handle, and be answered only when that is closed.
void c_session::give_up_creates() {
    line_.complete_all([](pending_request& p) {
        p.why = pending_request::purpose::witness;  // answers no request: its end does not matter
        core::reply lost;
        lost.id = p.answer.id;
        lost.connection = p.answer.connection;
        lost.sent = p.answer.sent;
        lost.outcome = core::outcome::unknown;
        return lost;
    });
}

void c_session::leave_open(pending_request& p, verdict& word) {
    word = {core::outcome::unknown, core::server_error::ok};
    p.answer.path.clear();
}

// When its event comes, it is ignored: we have no watch any more. The asynchronous call would dereference a null
// pointer; this one does not wait.
void c_session::forget_here(const std::string& path) {
    zoo_remove_all_watches(handle_, path.c_str(), ZWATCHTYPE_ANY, 1);
    watches_.removed(path);
}

void c_session::tell_complete() {
    while (auto next = line_.take())
        if (!silent_) sink_.deliver(std::move(*next));
}

}  // namespace turnstile::zookeeper
