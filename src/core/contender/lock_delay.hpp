// SPDX-License-Identifier: Apache-2.0
// lock_delay: the time after a holder's crash in which no contender gets the lock. A holder writes its *crash mark*, a
// znode beside the lock's path, before its grant, and removes the mark with its release. A contender that finds the
// mark of a crashed holder waits. The model is Consul's lock-delay and Chubby's (Burrows 2006, section 2.4).
//
// The state says what the contender knows of the mark:
//
// | state          | request of the contender                      | consequence                             |
// |----------------|-----------------------------------------------|-----------------------------------------|
// | unread         | read the mark                                 | the state becomes absent or left, or    |
// |                |                                               | ours if only the answer to our write    |
// |                |                                               | was lost                                |
// | left (by a     | check our znode, and write a note into the    | the contender waits for the end of the  |
// | crashed holder)| mark: a crashed holder left it behind         | delay; the note's time stamp is the     |
// |                |                                               | start of the delay of later contenders  |
// | absent, or the | check our znode, and write our mark           | the state becomes ours; the grant comes |
// | delay has ended|                                               | as soon as the lease lasts long enough  |
// | ours, after the| remove our znode and the mark in one          | the next contender need not wait        |
// | release        | transaction                                   |                                         |
//
// Only the first contender writes the mark, in a transaction that checks its own znode: a late write of an earlier
// holder fails. A lost hold leaves its mark, since its holder may still act. A contender that gives up after a lost
// answer to its write leaves a mark too; then the next contender waits needlessly, which is safe.
//
// znode_texts.hpp has the mark itself. Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/contender/answers.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/znode_texts.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// The contender for which lock_delay sends requests.
struct marking_contender {
    const std::string& folder;
    std::string znode;  // path of the contender's znode
    std::string guid;   // the GUID in the znode's name
    duration delay;
};

class lock_delay {
public:
    lock_delay() = default;
    // `own_ctime`: the time at which our znode was created, in milliseconds since 1970 by the leader's clock.
    explicit lock_delay(std::int64_t own_ctime) : own_ctime_{own_ctime} {}

    [[nodiscard]] bool is_marked() const noexcept { return state_ == state::ours; }
    [[nodiscard]] bool writes() const noexcept { return static_cast<bool>(writing_); }
    [[nodiscard]] bool asks() const noexcept { return reading_ || writing_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return reading_.is(id) || writing_.is(id);
    }
    // True if the contender needs no further request, and waits only for the end of the lock delay.
    [[nodiscard]] bool waits() const noexcept {
        return state_ == state::left && end_ && left_.noted;
    }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // Called if a list of the folder's children shows another contender ahead, although our contender was first before.
    // Then the servers have restarted from older data, and may have lost our crash mark (znode_texts.hpp). If the
    // contender ahead crashes, its whole delay must pass, even if its mark equals the mark that we read before.
    void begin_again() noexcept {
        state_ = state::unread;
        left_ = {};
        end_.reset();
    }
    // Forgets the version of the crash mark (the znode that remains when a holder crashes). So the contender reads the
    // mark again before it overwrites the mark. Servers that restart from older data may assign the mark's version
    // again.
    void forget_version() noexcept { version_is_known_ = false; }
    void end_has_come() noexcept { end_.reset(); }
    // Called when the servers refuse to remove the crash mark (the znode that remains when a holder crashes) together
    // with our znode.
    void give_up_mark() noexcept { state_ = state::absent; }
    // Sends the next request. Not allowed while waits(), asks() or is_marked() is true.
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
    state written_ = state::unread;  // the state that follows if the write succeeds
    crash_mark left_;                // the crash mark that was found at the servers
    std::int32_t left_version_ = 0;  // version of the znode of that mark
    bool version_is_known_ = false;  // the version was read on this connection
    std::optional<time_point> end_;
    pending_ticket reading_;
    pending_ticket writing_;
};

}  // namespace turnstile::core
