// SPDX-License-Identifier: Apache-2.0
// The lock delay: a holder marks itself before it is granted, and takes the mark away when it releases; who
// finds the mark of one that did not waits. After Consul's lock-delay and Chubby's (Burrows 2006, section 2.4).
//
// | step          | asks for                                      | what comes of it                         |
// |---------------|-----------------------------------------------|------------------------------------------|
// | nobody ahead  | read the mark                                 | absent, ours (an answer was lost), left  |
// | left          | check our znode, and note in it that it is    | wait until the delay is over; those who  |
// |               | left                                          | came later count from the note's stamp   |
// | absent, or    | check our znode, and write our mark           | ours: granted as soon as the lease says  |
// | waited out    |                                               | so                                       |
// | released      | remove our znode and the mark in one          |                                          |
//
// Only who has nobody ahead writes it, in a transaction that checks its own znode: a late write of an
// earlier holder fails. A hold that was lost leaves its mark, since its holder may still act; so does a lost
// answer to the marking of one who then gives up, which makes the next one wait in vain, and safely.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/contender/acquisition.hpp"

namespace turnstile::core {

bool acquisition::marked(acquisition_context& c) {
    if (settings_.lock_delay <= duration{} || mark_->state == mark_state::ours) return true;
    if (!c.attached() || parked_ || mark_->reading || mark_->writing) return false;
    if (mark_->state == mark_state::unread) {
        mark_.change().reading = c.submit(get_op{lock_mark_path(folder())});
    } else if (mark_->state == mark_state::left && mark_->delay_end) {
        const auto& left = mark_->left;
        if (!left.noted) {
            write_mark(c, {left.holder, left.delay_ms, true}, mark_state::left);
        } else if (settings_.mode == attempt::once) {
            fail(c, {errc::busy, folder() + ": the lock delay of a holder that crashed is "
                                            "not over"});
        }
    } else {
        const auto delay = std::chrono::ceil<std::chrono::milliseconds>(settings_.lock_delay);
        write_mark(c, {own_guid(), delay.count(), false}, mark_state::ours);
    }
    return false;
}

void acquisition::on_mark_read(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok: return heed_mark(c, answer);
        case server_error::no_node: mark_.change().state = mark_state::absent; return;
        case server_error::no_auth:
            return fail(c,
                        {errc::no_permission, "no permission to read " + lock_mark_path(folder())});
        default: return park(c, answer);
    }
}

void acquisition::heed_mark(acquisition_context& c, const reply& answer) {
    using std::chrono::milliseconds;
    const auto own_delay = std::chrono::ceil<milliseconds>(settings_.lock_delay).count();
    // What nobody of us wrote is waited out as if one of us had.
    auto said = parse_lock_mark(answer.data).value_or(lock_mark{"unknown", own_delay, false});
    if (said.holder == own_guid()) {
        mark_.change().state = mark_state::ours;
        return;
    }
    auto& mark = mark_.change();
    mark.state = mark_state::left;
    mark.left_version = answer.stat.version;
    const bool known = mark.left.holder == said.holder;  // and its delay runs, or is over
    mark.left = std::move(said);
    if (known) return;
    // By the stamps of the leaders at least so long ago; clocks of leaders may drift, too.
    const milliseconds since{
        mark.left.noted ? std::max<std::int64_t>(mark.own_ctime - answer.stat.mtime, 0) : 0};
    const auto left = c.lengthened(milliseconds{mark.left.delay_ms}) - since;
    if (left > duration{}) mark.delay_end = c.now() + left;  // place: delay_is_left
}

void acquisition::write_mark(acquisition_context& c, const lock_mark& what, mark_state then) {
    auto& mark = mark_.change();
    mark.written = then;
    const auto path = lock_mark_path(folder());
    multi_op both{{check_op{znode()}}};
    if (mark.state == mark_state::left) {
        both.parts.emplace_back(set_op{path, lock_mark_text(what), mark.left_version});
    } else {
        both.parts.emplace_back(
            create_op{path, lock_mark_text(what), create_mode::persistent, c.acl()});
    }
    mark.writing = c.submit(std::move(both));
}

void acquisition::on_mark_written(acquisition_context& c, const reply& answer) {
    auto& mark = mark_.change();
    mark.state = mark_state::unread;  // unless it was written
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
            mark.state = mark.written;
            mark.left.noted = true;
            ++mark.left_version;
            return;
        case server_error::no_node:
            if (answer.parts.empty() || answer.parts.front() == server_error::no_node)
                on_own_znode_gone(c);
            return;
        case server_error::bad_version:
        case server_error::node_exists: return;
        case server_error::no_auth:
            return fail(
                c, {errc::no_permission, "no permission to write " + lock_mark_path(folder())});
        case server_error::quota_exceeded: return fail(c, quota_exceeded(folder()));
        case server_error::invalid_acl:
            return fail(c, {errc::bad_option,
                            "access::creator_only needs credentials that the servers accept"});
        default: return park(c, answer);
    }
}

// A holder that is still told that it holds takes its mark along.
bool acquisition::takes_its_mark() const {
    return mark_->state == mark_state::ours && !lost_;  // place: takes_its_mark
}

}  // namespace turnstile::core
