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

#include "core/acquisition.hpp"

namespace turnstile::core {

bool acquisition::marked(acquisition_context& c) {
    if (settings_.lock_delay <= duration{} || mark_ == mark_state::ours) return true;
    if (!c.attached() || parked_ || reading_mark_ || writing_mark_) return false;
    if (mark_ == mark_state::unread) {
        reading_mark_ = c.submit(get_op{lock_mark_path(settings_.folder)});
    } else if (mark_ == mark_state::left && delay_end_) {
        if (!left_.noted) {
            write_mark(c, {left_.holder, left_.delay_ms, true}, mark_state::left);
        } else if (settings_.mode == attempt::once) {
            fail(c, {errc::busy, settings_.folder + ": the lock delay of a holder that crashed is "
                                                    "not over"});
        }
    } else {
        const auto delay = std::chrono::ceil<std::chrono::milliseconds>(settings_.lock_delay);
        write_mark(c, {guid_, delay.count(), false}, mark_state::ours);
    }
    return false;
}

void acquisition::on_mark_read(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok: return heed_mark(c, answer);
        case server_error::no_node: mark_ = mark_state::absent; return;
        case server_error::no_auth:
            return fail(c, {errc::no_permission,
                            "no permission to read " + lock_mark_path(settings_.folder)});
        default: return park(c, answer);
    }
}

void acquisition::heed_mark(acquisition_context& c, const reply& answer) {
    using std::chrono::milliseconds;
    const auto own_delay = std::chrono::ceil<milliseconds>(settings_.lock_delay).count();
    // What nobody of us wrote is waited out as if one of us had.
    auto said = parse_lock_mark(answer.data).value_or(lock_mark{"unknown", own_delay, false});
    if (said.holder == guid_) {
        mark_ = mark_state::ours;
        return;
    }
    mark_ = mark_state::left;
    left_version_ = answer.stat.version;
    const bool known = left_.holder == said.holder;  // and its delay runs, or is over
    left_ = std::move(said);
    if (known) return;
    // By the stamps of the leaders at least so long ago; clocks of leaders may drift, too.
    const milliseconds since{left_.noted ? std::max<std::int64_t>(ctime_ - answer.stat.mtime, 0)
                                         : 0};
    const auto left = c.lengthened(milliseconds{left_.delay_ms}) - since;
    if (left > duration{}) delay_end_ = c.now() + left;
}

void acquisition::write_mark(acquisition_context& c, const lock_mark& what, mark_state then) {
    written_mark_ = then;
    const auto path = lock_mark_path(settings_.folder);
    multi_op both{{check_op{znode()}}};
    if (mark_ == mark_state::left) {
        both.parts.emplace_back(set_op{path, lock_mark_text(what), left_version_});
    } else {
        both.parts.emplace_back(
            create_op{path, lock_mark_text(what), create_mode::persistent, c.acl()});
    }
    writing_mark_ = c.submit(std::move(both));
}

void acquisition::on_mark_written(acquisition_context& c, const reply& answer) {
    mark_ = mark_state::unread;  // unless it was written
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
            mark_ = written_mark_;
            left_.noted = true;
            ++left_version_;
            return;
        case server_error::no_node:
            if (answer.parts.empty() || answer.parts.front() == server_error::no_node)
                on_own_znode_gone(c);
            return;
        case server_error::bad_version:
        case server_error::node_exists: return;
        case server_error::no_auth:
            return fail(c, {errc::no_permission,
                            "no permission to write " + lock_mark_path(settings_.folder)});
        case server_error::invalid_acl:
            return fail(c, {errc::bad_option,
                            "access::creator_only needs credentials that the servers accept"});
        default: return park(c, answer);
    }
}

// A holder that is still told that it holds takes its mark along.
bool acquisition::takes_its_mark() const {
    return mark_ == mark_state::ours && !lost_;
}

}  // namespace turnstile::core
