// SPDX-License-Identifier: Apache-2.0
// What can go wrong, as values.
//
// Purpose: every call whose failure a caller should expect returns a `result<T>`; the error in it
// carries a code of the enum `errc` and a message that names the value and the rule. Only the
// standard lockable forms (`lock()`, `try_lock_for()` ...) and constructors throw; what they throw
// is `std::system_error` with the same code and message.
//
//     auto hold = orders.acquire({.timeout = 2s});
//     if (!hold && hold.error() == turnstile::errc::timeout) try_later();
//     if (!hold && hold.error() == turnstile::condition::unreachable) call_the_operator();
//
// Thread safety: values; as safe as `std::string`.
#pragma once

#include "turnstile/language.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "turnstile/export.hpp"

namespace turnstile {

// The outcome of a failed call. Each comment says what may have happened all the same. None of them
// leaves a znode behind: clean-up belongs to the client and goes on after the call has returned.
enum class errc {
    timeout = 1,    // The deadline passed first. The lock was not taken by this call.
    busy,           // try_acquire: another contender is ahead. The lock was not taken.
    cancelled,      // The stop token was triggered. The lock was not taken.
    interrupted,    // boost::thread::interrupt(). The lock was not taken.
    session_lost,   // The session's lease ended or the servers expired it: a hold is over, and
                    // another client may hold the lock from `valid_until()` on.
    removed,        // Another client deleted our znode: the hold is over at once.
    closed,         // The client was closed, before or during the call.
    forked,         // The client was made in the parent of this process; it works only there.
    auth_failed,    // The servers refused the credentials. The client cannot be used any more.
    no_permission,  // An ACL on the path forbids the request. Parents may have been made; a
                    // znode of ours that was made is removed again.
    not_connected,  // No server answered in time, or none that may be used; the message names them.
    bad_path,       // The path breaks a rule of ZooKeeper's; nothing was sent. Or a parent is
                    // ephemeral, as the servers say; nothing was made in it.
    bad_connect_string,  // The connect string breaks a rule; nothing was sent.
    bad_option,          // An option's value breaks a rule; nothing was sent. Or the servers refuse
                         // the ACL; nothing was made with it.
    no_chroot,           // The chroot of the connect string does not exist on the servers.
    server_too_old,      // The servers lack a request that cannot be replaced.
    unresolvable,        // No host of the connect string had an address in time.
    not_owner,           // unlock() by a thread that does not hold the lock. Nothing was changed.
    would_deadlock,      // lock() by the thread that holds this very mutex already. Or, through a
                         // deadlock_detector, the newest wait of a cycle. The lock was not taken.
    too_many,       // Every session that the options allow owns as many znodes as is safe. Or a
                    // folder has used up its sequence numbers, and an upgrade needs one of its own.
    not_held,       // The guard is empty or was released before.
    protocol,       // The servers sent an answer that makes no sense; the message has it.
    revoked,        // An operator or a program took the place or the hold away: it is over at once,
                    // and the message names the operator and the reason.
    held_too_long,  // The hold had lasted for `max_hold`: it has been given up.
    lease_too_short,  // The session time-out is too short for a hold to be certain through this
                      // server, at the call or when the contender is first; nothing is left in
                      // the queue. The message has the numbers and the rule.
    outcome_unknown,  // A commit may or may not have been carried out, and the servers cannot be
    // asked any more, or not in time. It will not be carried out later than the
    // hold's znode stands, so not once another client has been granted its lock.
    no_node,      // A part of a transaction needs a znode that is not there; nothing was written.
    node_exists,  // A part creates a znode that is there already; nothing was written.
    not_empty,    // A part removes a znode that has children; nothing was written.
    bad_version,  // A part names a version that the znode does not have; nothing was written.
    quota_exceeded,  // An operator's quota for the path or one of its parents is used up, or the
                     // memory of a Redis server. The znode was not made; parents above it may
                     // have been.
    local_session,  // The servers keep sessions at one server (localSessionsEnabled) and do not make
                    // them global (localSessionsUpgradingEnabled): no session can own a znode.
};

TURNSTILE_EXPORT const std::error_category& error_category() noexcept;
TURNSTILE_EXPORT std::error_code make_error_code(errc code) noexcept;

// What a caller does next depends on one of these; each errc has exactly one (docs/reference/errors.md). They are
// std::error_conditions, so that the std::error_code of an exception compares with them, too.
enum class condition {
    busy = 1,     // Other contenders had the lock for as long as the call waited.
    lost,         // The servers or an operator ended a hold or a place in the queue.
    stopped,      // This program ended the call or the client.
    unreachable,  // No server could be used in time.
    refused,      // The servers answered, and do not do it: rights, limits, settings, versions.
    conflict,     // A transaction does not fit what is there; nothing was written.
    unknown,      // A transaction may have been carried out or not: look before it is sent again.
    misuse,       // The call breaks a rule of the library's: the program has to change.
};

[[nodiscard]] TURNSTILE_EXPORT condition condition_of(errc code) noexcept;
TURNSTILE_EXPORT std::error_condition make_error_condition(condition kind) noexcept;
// True if the same call may succeed later without a change to the program, its rights or the servers' settings.
[[nodiscard]] TURNSTILE_EXPORT bool is_retryable(errc code) noexcept;

// An error: what it is, and the sentence that names the value and the rule.
class [[nodiscard]] error {
public:
    error(errc code) : code_{code} {}  // NOLINT(google-explicit-constructor): errc is the error
    error(errc code, std::string message) : code_{code}, message_{std::move(message)} {}

    [[nodiscard]] errc code() const noexcept { return code_; }
    [[nodiscard]] std::error_code error_code() const noexcept { return make_error_code(code_); }
    [[nodiscard]] turnstile::condition condition() const noexcept { return condition_of(code_); }
    [[nodiscard]] bool is_retryable() const noexcept { return turnstile::is_retryable(code_); }
    // What is known beyond the code, or empty. It may quote other clients (a label, a reason) as they wrote it.
    [[nodiscard]] const std::string& detail() const noexcept { return message_; }
    // The category's text for the code, and the detail, in which control characters and marks that turn the direction
    // of writing are \xNN: fit for a log line and for a terminal.
    [[nodiscard]] TURNSTILE_EXPORT std::string message() const;

    // Which part of a transaction was refused, counted from 0; nothing where none was.
    [[nodiscard]] std::optional<std::size_t> part() const noexcept { return part_; }
    [[nodiscard]] error of_part(std::size_t index) && {
        part_ = index;
        return std::move(*this);
    }

    friend bool operator==(const error& a, errc b) noexcept { return a.code_ == b; }
    friend bool operator==(const error& a, turnstile::condition b) noexcept {
        return a.condition() == b;
    }
    friend bool operator==(const error&, const error&) = default;

private:
    errc code_;
    std::string message_;
    std::optional<std::size_t> part_;
};

// Throws `std::system_error` with the error's code and message.
[[noreturn]] TURNSTILE_EXPORT void throw_error(const error& failure);

}  // namespace turnstile

template <>
struct std::is_error_code_enum<turnstile::errc> : std::true_type {};
template <>
struct std::is_error_condition_enum<turnstile::condition> : std::true_type {};
