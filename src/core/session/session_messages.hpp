// SPDX-License-Identifier: Apache-2.0
// session_messages: the inputs and the actions of a session_core.
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/contender_core.hpp"
#include "core/contender/guarded_write.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::core {

// ---- inputs ---------------------------------------------------------------------------------

struct start {};
struct acquire {
    contender_id id{};
    contender_settings settings;
    std::optional<time_point> deadline;  // the deadline of the grant
    duration warn_before{};              // zero: never
    duration max_hold{};                 // zero: no limit except the lease
};
// Requests several contenders. Their znodes are created in as few requests as possible.
struct acquire_together {
    std::vector<acquire> all;
};
struct leave {  // give up the wait, or release the hold
    contender_id id{};
    error why{errc::cancelled};
    friend bool operator==(const leave&, const leave&) = default;
};
struct leave_together {  // several at once, in as few requests as possible
    std::vector<contender_id> all;
    error why{errc::cancelled};
};
struct cancel {  // give up the wait, the inquiry or the commit; a grant stays
    awaited_id id{};
    error why{errc::cancelled};
};
struct rename {  // a hold of a read-write lock becomes a hold of another kind
    contender_id id{};
    claim_kind kind = claim_kind::read;
};
struct read {  // sent again until it is answered
    inquiry_id id{};
    operation op;
    std::optional<time_point> deadline;
};
// A write without a hold. The session sends the write again until it is answered. So the servers may carry it out more
// than once, and the caller may get the answer to the last attempt. Therefore a caller must name a version, or create a
// name that can be created only once.
//
// `only_on` is the connection on which the caller read the version (reply::connection); 0: no version.
// Servers that restart from older data may assign this version again, to another client's data. So the session sends
// the write on no other connection. On a later connection it answers the caller with bad_version, whatever happened to
// the write before, and the caller reads again.
struct repeated_write {
    inquiry_id id{};
    operation op;
    std::optional<time_point> deadline;
    std::uint64_t only_on = 0;
};
struct commit {  // a guarded write of a hold (guarded_write.hpp)
    commit_id id{};
    contender_id hold{};
    std::vector<write_part> parts;
    std::optional<time_point> deadline;
    std::vector<std::string> further{};  // znodes of further holds at the same servers
};
struct close {};
struct from_session {
    std::uint64_t epoch = 0;
    coordinator_event event;
};
struct open_failed {
    std::uint64_t epoch = 0;
    error why{errc::not_connected};
};
// The wall clock has stepped ahead of the lease's clock by `ahead`: the machine may have stood still for that long
// (clock_watch.hpp).
struct clock_stepped {
    duration ahead{};
};
struct session_closed {};  // follows a close_session: the handle is closed
using input = std::variant<start, acquire, acquire_together, leave, leave_together, cancel, rename,
                           read, repeated_write, commit, close, from_session, open_failed,
                           clock_stepped, session_closed>;

// ---- actions --------------------------------------------------------------------------------

struct submit {
    core::request request;
    friend bool operator==(const submit&, const submit&) = default;
};
struct forget_watches {
    std::string path;
    friend bool operator==(const forget_watches&, const forget_watches&) = default;
};
struct seek_leader {
    std::uint64_t connection = 0;
    friend bool operator==(const seek_leader&, const seek_leader&) = default;
};
struct leave_server {  // leave for the server at which look_elsewhere found a leader
    std::uint64_t connection = 0;
    friend bool operator==(const leave_server&, const leave_server&) = default;
};
struct open_session {
    std::uint64_t epoch = 0;
    friend bool operator==(const open_session&, const open_session&) = default;
};
struct close_session {  // executed in the background
    enum class how { orderly, abandon } manner = how::orderly;
    friend bool operator==(const close_session&, const close_session&) = default;
};
struct answer {
    inquiry_id id{};
    std::variant<reply, error> outcome;
    friend bool operator==(const answer&, const answer&) = default;
};
struct commit_answer {
    commit_id id{};
    commit_outcome outcome;
    friend bool operator==(const commit_answer&, const commit_answer&) = default;
};
struct changed {
    session_change step;
    std::string reason;
    friend bool operator==(const changed& a, const changed& b) {
        return a.step.session == b.step.session && a.step.epoch == b.step.epoch &&
               a.step.from == b.step.from && a.step.to == b.step.to && a.reason == b.reason;
    }
};
struct warning {  // for the log: a setting prevents good operation
    std::string text;
    friend bool operator==(const warning&, const warning&) = default;
};
using action =
    std::variant<submit, forget_watches, seek_leader, look_elsewhere, leave_server, open_session,
                 close_session, notice, answer, commit_answer, changed, warning>;

}  // namespace turnstile::core
