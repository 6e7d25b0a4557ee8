// SPDX-License-Identifier: Apache-2.0
#include "core/contender/lock_delay.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_errors.hpp"

namespace turnstile::core {

namespace {

std::int64_t in_ms(duration delay) {
    return std::chrono::ceil<std::chrono::milliseconds>(delay).count();
}

}  // namespace

void lock_delay::advance(contender_session& c, const marking_contender& own) {
    TURNSTILE_CHECK(!asks());
    TURNSTILE_CHECK(!waits());
    TURNSTILE_CHECK(!is_marked());
    if (state_ == state::left && !version_is_known_) state_ = state::unread;
    if (state_ == state::unread) {
        reading_ = c.submit(get_op{crash_mark_path(own.folder)});
    } else if (state_ == state::left && end_) {
        write(c, own, {left_.holder, left_.delay_ms, true}, state::left);
    } else {
        write(c, own, {own.guid, in_ms(own.delay), false}, state::ours);
    }
}

consequence lock_delay::on_answer(contender_session& c, const marking_contender& own,
                                  const reply& answer) {
    TURNSTILE_CHECK(expects(answer.id));
    if (reading_.take_answer(answer)) return on_read(c, own, answer);
    writing_.reset();
    return on_written(own, answer);
}

consequence lock_delay::on_read(contender_session& c, const marking_contender& own,
                                const reply& answer) {
    switch (classify(answer)) {
        case answer_class::ok: apply(c, own, answer); return goes_on{};
        case answer_class::gone: state_ = state::absent; return goes_on{};
        case answer_class::forbidden:
            return refused{{errc::no_permission, "to read " + crash_mark_path(own.folder)}};
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: break;
    }
    return suspends{};
}

void lock_delay::apply(contender_session& c, const marking_contender& own, const reply& answer) {
    using std::chrono::milliseconds;
    // If the text is no crash mark of a Turnstile contender, this function treats it as the mark of a crashed holder.
    // Then our own lock delay applies.
    auto found =
        parse_crash_mark(answer.data).value_or(crash_mark{"unknown", in_ms(own.delay), false});
    if (found.holder == own.guid) {
        state_ = state::ours;
        return;
    }
    state_ = state::left;
    left_version_ = answer.stat.version;
    version_is_known_ = true;
    const bool known = left_.holder == found.holder;  // the delay for this holder has begun already
    left_ = std::move(found);
    if (known) return;
    // The age of the note (the text " left" in the crash mark) is the difference between the time stamps of our znode
    // and of the note. The servers' leader takes each time stamp from its own clock. If two leaders with different
    // clocks wrote the two stamps, the age is wrong by the difference of the clocks. A leader whose clock is ahead of
    // the others shortens the delay (docs/why/lock-delay.md).
    const milliseconds since{left_.noted ? std::max<std::int64_t>(own_ctime_ - answer.stat.mtime, 0)
                                         : 0};
    const auto left = c.lengthened(milliseconds{left_.delay_ms}) - since;
    if (left > duration{}) end_ = c.now() + left;  // place: delay_is_left
}

void lock_delay::write(contender_session& c, const marking_contender& own, const crash_mark& mark,
                       state then) {
    TURNSTILE_CHECK(!own.znode.empty());
    TURNSTILE_CHECK(mark.delay_ms >= 0);
    written_ = then;
    const auto path = crash_mark_path(own.folder);
    multi_op both{{check_op{own.znode}}};
    if (state_ == state::left) {
        both.parts.emplace_back(set_op{path, crash_mark_text(mark), left_version_});
    } else {
        both.parts.emplace_back(
            create_op{path, crash_mark_text(mark), create_mode::persistent, c.acl()});
    }
    writing_ = c.submit(std::move(both));
}

consequence lock_delay::on_written(const marking_contender& own, const reply& answer) {
    state_ = state::unread;  // changed below if the write succeeded
    switch (classify(answer)) {
        case answer_class::ok:
            state_ = written_;
            left_.noted = true;
            ++left_version_;
            return goes_on{};
        case answer_class::gone:
            if (answer.parts.empty() || answer.parts.front() == server_error::no_node)
                return own_znode_gone{};
            return goes_on{};
        case answer_class::conflict: return goes_on{};
        case answer_class::forbidden:
            return refused{{errc::no_permission, "to write " + crash_mark_path(own.folder)}};
        case answer_class::over_quota: return refused{quota_exceeded(own.folder)};
        case answer_class::bad_acl: return refused{credentials_not_accepted()};
        case answer_class::elsewhere:
        case answer_class::retry: break;
    }
    return suspends{};
}

}  // namespace turnstile::core
