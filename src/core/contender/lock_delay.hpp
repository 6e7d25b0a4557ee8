// SPDX-License-Identifier: Apache-2.0
// lock_delay: a holder writes its crash mark before it is granted and takes it away when it releases; a contender
// that finds the mark of a crashed holder waits. After Consul's lock-delay and Chubby's (Burrows 2006, section 2.4).
//
// | state          | asks for                                      | what comes of it                        |
// |----------------|-----------------------------------------------|-----------------------------------------|
// | unread         | read the mark                                 | absent, ours (an answer was lost), left |
// | left           | check our znode, and note in the mark that it | wait until the delay is over; those     |
// |                | is left                                       | that come later count from the note's   |
// |                |                                               | stamp                                   |
// | absent, or     | check our znode, and write our mark           | ours: granted as soon as the lease says |
// | left, and over |                                               | so                                      |
// | ours, released | remove our znode and the mark in one          |                                         |
//
// Only the first contender writes the mark, in a transaction that checks its own znode: a late write of an
// earlier holder fails. A hold that was lost leaves its mark, since its holder may still act; so does a lost answer
// to the write of one that then gives up, which makes the next one wait in vain, and safely.
//
// crash_mark.hpp has the mark itself. A value. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/crash_mark.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// The contender whose mark it is.
struct marking_contender {
    const std::string& folder;
    std::string znode;  // its path
    std::string guid;   // in its name
    duration delay;
};

class lock_delay {
public:
    lock_delay() = default;
    // Of a znode that was made at this time, in ms since 1970, by the leader's clock.
    explicit lock_delay(std::int64_t own_ctime) : own_ctime_{own_ctime} {}

    [[nodiscard]] bool is_marked() const noexcept { return state_ == state::ours; }
    [[nodiscard]] bool writes() const noexcept { return static_cast<bool>(writing_); }
    // A request of it is under way.
    [[nodiscard]] bool asks() const noexcept { return reading_ || writing_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return reading_.is(id) || writing_.is(id);
    }
    // Nothing is to be asked for, only time to pass.
    [[nodiscard]] bool waits() const noexcept {
        return state_ == state::left && end_ && left_.noted;
    }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // Another contender is ahead again, of servers that went on from older data: they may have lost our mark, and the delay
    // is to be waited anew if that one crashes, were it the same as before.
    void begin_again() noexcept {
        state_ = state::unread;
        left_ = {};
        end_.reset();
    }
    // Servers that go on from older data give the mark's version out again: it is read anew before it is written over.
    void forget_version() noexcept { version_is_known_ = false; }
    // The time of end() has come.
    void end_has_come() noexcept { end_.reset(); }
    // The servers do not let the mark go with our znode.
    void give_up_mark() noexcept { state_ = state::absent; }
    // Asks for whatever is next. Not while it waits, asks, or is marked.
    void advance(contender_session& c, const marking_contender& own);
    consequence on_answer(contender_session& c, const marking_contender& own, const reply& answer);

    friend bool operator==(const lock_delay&, const lock_delay&) = default;

private:
    enum class state : std::uint8_t { unread, absent, left, ours };

    consequence on_read(contender_session& c, const marking_contender& own, const reply& answer);
    void apply(contender_session& c, const marking_contender& own, const reply& answer);
    void write(contender_session& c, const marking_contender& own, const crash_mark& mark,
               state then);
    consequence on_written(const marking_contender& own, const reply& answer);

    std::int64_t own_ctime_ = 0;
    state state_ = state::unread;
    state written_ = state::unread;  // what it will be if the write succeeds
    crash_mark left_;                // the mark that was left behind
    std::int32_t left_version_ = 0;  // of its znode
    bool version_is_known_ = false;  // it was read on this connection
    std::optional<time_point> end_;
    pending_ticket reading_;
    pending_ticket writing_;
};

}  // namespace turnstile::core
