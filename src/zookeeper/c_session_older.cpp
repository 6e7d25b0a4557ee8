// SPDX-License-Identifier: Apache-2.0
// The part of c_session for servers that know only the requests of ZooKeeper 3.4: no create2, and no removal of
// watches.
//
// On such a server a create needs two requests: the create, whose answer is the path, and a read of the new znode's
// Stat. If the read fails, or its answer comes on another connection, the outcome of the create is unknown. The caller
// then looks for the znode, as after any lost answer.
// looks for it, as after any lost answer.
#include <utility>

#include "zookeeper/answers.hpp"
#include "zookeeper/c_session.hpp"

namespace turnstile::zookeeper {

namespace {

// Returns the Stat that a znode had at its creation, derived from a later Stat.
core::stat as_created(const core::stat& later, std::int32_t bytes) {
    core::stat first;
    first.czxid = first.mzxid = first.pzxid = later.czxid;
    first.ctime = first.mtime = later.ctime;
    first.ephemeral_owner = later.ephemeral_owner;
    first.data_length = bytes;
    return first;
}

}  // namespace

// True if the servers do not know the request, or may not know it. Apache ZooKeeper 3.5 or later knows it, so
// connections that end prove nothing there.
bool c_session::lacks(const request_knowledge& request) const noexcept {
    return request.is_refused() ||
           (request.is_doubted() && software_ != server_software::zookeeper);
}

// Returns false if the servers do not know the request and no other request can replace it.
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

// Returns true if the reply is incomplete and another request is in progress for it. `word`: the verdict about the last
// answer, which becomes the verdict of the reply.
bool c_session::goes_on(pending_request& p, verdict& word) {
    switch (p.step) {
        case pending_request::create_step::none: break;
        case pending_request::create_step::container:
            learn(known_->requests.containers, p, word);
            break;
        case pending_request::create_step::create2:
            learn(known_->requests.create2, p, word);
            // `not_sent` makes the caller repeat the create, now with the two older requests. Many servers close the
            // connection after this answer.
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
        // An end of the connection counts only if the server may not know the request, and close() is not its cause.
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
    // The request for the stat may be sent while the connection moves to the leader, because the move waits for requests
    // in progress.
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

// Answers the incomplete creates. On a dead handle, the C client answers their second requests only when it closes the
// handle.
void c_session::give_up_creates() {
    line_.complete_all([](pending_request& p) {
        p.why = pending_request::purpose::witness;  // serves no caller any more
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

// Removes the watch only in the C client, so that it ignores a later event. The asynchronous call would dereference a
// null pointer. This synchronous call does not wait for a server.
void c_session::forget_here(const std::string& path) {
    zoo_remove_all_watches(handle_, path.c_str(), ZWATCHTYPE_ANY, 1);
    watches_.removed(path);
}

void c_session::tell_complete() {
    while (auto next = line_.take())
        if (!silent_) sink_.deliver(std::move(*next));
}

}  // namespace turnstile::zookeeper
