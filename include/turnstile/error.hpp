// SPDX-License-Identifier: Apache-2.0
// error: why a call failed, as a value.
//
// Every call that can fail in normal operation returns a `result<T>` (result.hpp). The error in it has a code of the
// enum `errc`, and a message that names the value and the rule. Only constructors and the standard lockable forms
// (lock(), try_lock_for() and others) throw: a `std::system_error` with the same code and message.
//
//     auto hold = orders.acquire({.timeout = 2s});
//     if (!hold && hold.error() == turnstile::errc::timeout) try_later();
//     if (!hold && hold.error() == turnstile::condition::unreachable) call_the_operator();
//
// docs/reference/errors.md lists each code with its cause and remedy.
//
// Thread safety: values, as safe as `std::string`.
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

// The reason why a call failed. The comment of each code says what the call may have done. After an error the client
// removes the call's znode from the queue, if necessary after the call has returned.
enum class errc {
    // The deadline passed. This call did not take the lock.
    timeout = 1,
    // Another contender is ahead (try_acquire). This call did not take the lock.
    busy,
    // The stop token was triggered. This call did not take the lock.
    cancelled,
    // The thread was interrupted with boost::thread::interrupt(). This call did not take the lock.
    interrupted,
    // The session's lease ended, or the servers expired the session. The hold is over; another client may hold the lock
    // from valid_until() on.
    session_lost,
    // Another client deleted the contender's znode. The hold is over at once.
    removed,
    // The client was closed, before or during the call.
    closed,
    // This process is a forked child, and its parent made the client, which works only in the parent.
    forked,
    // The servers refused the credentials. The client cannot be used any more.
    auth_failed,
    // An ACL on the path forbids the request. The call may have created parent znodes. If the call created a
    // contender's znode, the client removes that znode.
    no_permission,
    // No server that the client may use answered in time. The message names the servers.
    not_connected,
    // The path breaks a rule of ZooKeeper, and the client sent nothing. Or the servers say that a parent is ephemeral,
    // and the client created nothing below it.
    bad_path,
    // The connect string breaks a rule. The client sent nothing.
    bad_connect_string,
    // An option's value breaks a rule, and the client sent nothing. Or the servers refuse the ACL, and the client
    // created nothing with it.
    bad_option,
    // The connect string's chroot does not exist on the servers.
    no_chroot,
    // The servers lack a request that the library cannot replace.
    server_too_old,
    // No host name of the connect string could be resolved in time.
    unresolvable,
    // A thread that does not hold the lock called unlock(), or released the guard of another thread. Nothing changed.
    not_owner,
    // A thread called lock() on a mutex that it holds already. Or this wait is the newest in a cycle that a
    // deadlock_detector found. This call did not take the lock.
    would_deadlock,
    // Every session that the options allow owns as many znodes as is safe. Or an upgrade needs a new sequence number,
    // and the znode of the lock's path has used up its sequence numbers.
    too_many,
    // The guard is empty, or was released before.
    not_held,
    // The servers sent an answer that the library does not understand. The message quotes it.
    protocol,
    // An operator or a program took away the contender's place in the queue, or its hold. The hold ends at once. The
    // message names the operator and the reason.
    revoked,
    // The hold lasted for `max_hold`, so the client ended it.
    held_too_long,
    // The session timeout is too short, so the client could never be certain of a hold through the server to which it
    // is connected. The call finds this out at its start, or when its contender is first in the queue. It leaves no
    // znode in the queue. The message has the granted timeout, and the timeout that a certain hold needs.
    lease_too_short,
    // The servers may or may not have executed a commit, and the library could not find out in time. If the servers
    // execute the commit, they execute it before the hold's znode is gone, and so before another client is granted the
    // lock.
    outcome_unknown,
    // A part of a transaction needs a znode that does not exist. The servers wrote nothing.
    no_node,
    // A part of a transaction creates a znode that exists already. The servers wrote nothing.
    node_exists,
    // A part of a transaction removes a znode that has children. The servers wrote nothing.
    not_empty,
    // A part of a transaction names a version that the znode does not have. The servers wrote nothing.
    bad_version,
    // An operator's quota for the path or one of its parents is used up, or a Redis server has used up its memory. The
    // servers did not create the znode. The call may have created parents above it.
    quota_exceeded,
    // The servers keep sessions at one server (localSessionsEnabled), and do not make them global
    // (localSessionsUpgradingEnabled). Such a session can own no znode.
    local_session,
};

// Returns the category of all codes of `errc`.
TURNSTILE_EXPORT const std::error_category& error_category() noexcept;
// Returns the code as a std::error_code, which compares equal to `code` and to its condition.
TURNSTILE_EXPORT std::error_code make_error_code(errc code) noexcept;

// The class of an error, which decides what a caller does next. Each errc has exactly one class
// (docs/reference/errors.md). Conditions are std::error_conditions, so the std::error_code of an exception compares
// with them too.
enum class condition {
    busy = 1,     // Other contenders had the lock for as long as the call waited.
    lost,         // The servers or an operator ended a hold or a wait in the queue.
    stopped,      // This program ended the call or the client.
    unreachable,  // No server could be used in time.
    // The servers answered, and refused the request. The reason is a missing right, a limit, a setting or the servers'
    // version.
    refused,
    // The present znodes do not meet a condition of the transaction. The servers wrote nothing.
    conflict,
    // The servers may or may not have executed a transaction. Read the znodes before you send the transaction again.
    unknown,
    // The call breaks a rule of the library. The program has to change.
    misuse,
};

// Returns the class of a code.
[[nodiscard]] TURNSTILE_EXPORT condition condition_of(errc code) noexcept;
// Returns the class as a std::error_condition.
TURNSTILE_EXPORT std::error_condition make_error_condition(condition kind) noexcept;
// True if the same call may succeed later, without a change to the program, its rights or the servers' settings.
[[nodiscard]] TURNSTILE_EXPORT bool is_retryable(errc code) noexcept;

// An error: its code, and a detail in words.
class [[nodiscard]] error {
public:
    // An error without a detail.
    error(errc code) : code_{code} {}  // NOLINT(google-explicit-constructor): errc is the error
    // An error with a detail. `message` names the value, and the rule that it breaks.
    error(errc code, std::string message) : code_{code}, message_{std::move(message)} {}

    // Returns the code.
    [[nodiscard]] errc code() const noexcept { return code_; }
    // Returns the code as a std::error_code.
    [[nodiscard]] std::error_code error_code() const noexcept { return make_error_code(code_); }
    // Returns the class of the code.
    [[nodiscard]] turnstile::condition condition() const noexcept { return condition_of(code_); }
    // Returns is_retryable(code()).
    [[nodiscard]] bool is_retryable() const noexcept { return turnstile::is_retryable(code_); }
    // Returns the detail in words, or an empty text. The detail may quote, without any change, text that other clients
    // wrote (a label, a reason).
    [[nodiscard]] const std::string& detail() const noexcept { return message_; }
    // Returns the category's text for the code, followed by the detail. Control characters, and marks that change the
    // direction of writing, are written as \xNN, so the text is safe for a log line and for a terminal.
    [[nodiscard]] TURNSTILE_EXPORT std::string message() const;

    // If the servers refused a part of a transaction, returns the index of that part, counted from 0. Empty for other
    // errors.
    [[nodiscard]] std::optional<std::size_t> part() const noexcept { return part_; }
    // Returns this error, with `index` as the result of part().
    [[nodiscard]] error of_part(std::size_t index) && {
        part_ = index;
        return std::move(*this);
    }

    // Compares an error with a code or with a class. Two errors are equal if code, detail and part are equal.
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

// Throws a `std::system_error` with the error's code and message.
[[noreturn]] TURNSTILE_EXPORT void throw_error(const error& failure);

namespace detail {

// Ends the process with a message on stderr, because the program used the value of a call that failed with `failure`.
[[noreturn]] TURNSTILE_EXPORT void end_without_value(const error& failure) noexcept;
// Ends the process with a message on stderr, because the program used the error of a call that succeeded.
[[noreturn]] TURNSTILE_EXPORT void end_without_error() noexcept;

}  // namespace detail

}  // namespace turnstile

template <>
struct std::is_error_code_enum<turnstile::errc> : std::true_type {};
template <>
struct std::is_error_condition_enum<turnstile::condition> : std::true_type {};
