// SPDX-License-Identifier: Apache-2.0
// lock_delay: a holder writes its crash mark before its grant, and removes it with its release. A contender that finds
// the mark of a crashed holder waits. The model is Consul's lock-delay and Chubby's (Burrows 2006, section 2.4).
//
// | state          | request                                       | outcome                                 |
// |----------------|-----------------------------------------------|-----------------------------------------|
// | unread         | read the mark                                 | absent, ours (an answer was lost), left |
// | left           | check our znode, and add a note to the mark:  | wait for the end of the delay; later    |
// |                | a holder left it behind                       | contenders count from the time stamp of |
// |                |                                               | the note                                |
// | absent, or the | check our znode, and write our mark           | ours: granted as soon as the lease is   |
// | delay has ended|                                               | certain                                 |
// | ours, released | remove our znode and the mark in one          |                                         |
//
// Only the first contender writes the mark, in a transaction that checks its own znode: a late write of an earlier
// holder fails. A lost hold leaves its mark, since its holder may still act. A contender that gives up after a lost
// answer to its write leaves a mark too; then the next contender waits needlessly, which is safe.
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

// The contender that the mark belongs to.
struct marking_contender {
    const std::string& folder;
    std::string znode;  // its path
    std::string guid;   // in its name
    duration delay;
};

class lock_delay {
public:
    lock_delay() = default;
    // For a znode that was created at this time: milliseconds since 1970 by the leader's clock.
    explicit lock_delay(std::int64_t own_ctime) : own_ctime_{own_ctime} {}

    [[nodiscard]] bool is_marked() const noexcept { return state_ == state::ours; }
    [[nodiscard]] bool writes() const noexcept { return static_cast<bool>(writing_); }
    // True if one of its requests is in progress.
    [[nodiscard]] bool asks() const noexcept { return reading_ || writing_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return reading_.is(id) || writing_.is(id);
    }
    // True if no request is needed and only time must pass.
    [[nodiscard]] bool waits() const noexcept {
        return state_ == state::left && end_ && left_.noted;
    }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // Another contender is ahead again, at servers that went on from older data. They may have lost our mark. If that
    // contender crashes, its whole delay must be waited for, even if its crash mark equals the mark that was
    // read before.
    void begin_again() noexcept {
        state_ = state::unread;
        left_ = {};
        end_.reset();
    }
    // Servers that go on from older data assign the mark's version again: the mark is read again before it is
    // overwritten.
    void forget_version() noexcept { version_is_known_ = false; }
    // The instant end() has passed.
    void end_has_come() noexcept { end_.reset(); }
    // The servers refuse to remove the mark together with our znode.
    void give_up_mark() noexcept { state_ = state::absent; }
    // Sends the next request. Not allowed while it waits, has a request in progress, or is marked.
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
    state written_ = state::unread;  // the state if the write succeeds
    crash_mark left_;                // the mark that was left behind
    std::int32_t left_version_ = 0;  // version of the mark's znode
    bool version_is_known_ = false;  // the version was read on this connection
    std::optional<time_point> end_;
    pending_ticket reading_;
    pending_ticket writing_;
};

}  // namespace turnstile::core
