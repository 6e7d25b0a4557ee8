// SPDX-License-Identifier: Apache-2.0
#include "turnstile/error.hpp"

#include <cstdio>
#include <cstdlib>

#include "support/visible.hpp"

namespace turnstile {
namespace {

const char* text(errc code) noexcept {
    switch (code) {
        case errc::timeout: return "the deadline passed";
        case errc::busy: return "the lock or gate is busy";
        case errc::cancelled: return "cancelled by the stop token";
        case errc::interrupted: return "interrupted";
        case errc::session_lost: return "the session with the servers was lost";
        case errc::removed: return "another client deleted the lock's znode";
        case errc::closed: return "the client is closed";
        case errc::forked: return "the client belongs to the parent of this process";
        case errc::auth_failed: return "the servers refused the credentials";
        case errc::no_permission: return "an ACL forbids the request";
        case errc::not_connected: return "no server could be used in time";
        case errc::bad_path: return "bad path";
        case errc::bad_connect_string: return "bad connect string";
        case errc::bad_option: return "bad option";
        case errc::no_chroot: return "the chroot does not exist on the servers";
        case errc::server_too_old: return "the servers are too old for this request";
        case errc::unresolvable: return "no host of the connect string has an address";
        case errc::not_owner: return "the calling thread does not hold the lock";
        case errc::would_deadlock: return "the wait would never end";
        case errc::too_many: return "there are too many znodes or sessions";
        case errc::not_held: return "this call needs a hold, and none exists";
        case errc::protocol:
            return "the servers sent an answer that the library does not understand";
        case errc::lease_too_short:
            return "the session timeout is too short for a hold to be certain";
        case errc::held_too_long: return "the hold has lasted as long as max_hold allows";
        case errc::revoked:
            return "an operator or a program took the lock or the place in the queue away";
        case errc::outcome_unknown:
            return "the servers may or may not have executed the request: find out by a read "
                   "before you send it again";
        case errc::no_node: return "a znode does not exist";
        case errc::node_exists: return "a znode exists already";
        case errc::not_empty: return "a znode has children";
        case errc::bad_version: return "a znode has another version than the request names";
        case errc::quota_exceeded:
            return "a limit of the servers is used up: a quota, or their memory";
        case errc::local_session: return "the servers' sessions are local and can own no znode";
    }
    return "unknown error";
}

class turnstile_category final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "turnstile"; }

    [[nodiscard]] std::string message(int code) const override {
        return text(static_cast<errc>(code));
    }

    [[nodiscard]] std::error_condition default_error_condition(int code) const noexcept override {
        switch (static_cast<errc>(code)) {
            case errc::timeout: return std::errc::timed_out;
            case errc::busy: return std::errc::device_or_resource_busy;
            case errc::cancelled: return std::errc::operation_canceled;
            case errc::interrupted: return std::errc::interrupted;
            case errc::no_permission: return std::errc::permission_denied;
            case errc::not_connected: return std::errc::not_connected;
            case errc::bad_path:
            case errc::bad_connect_string:
            case errc::bad_option: return std::errc::invalid_argument;
            case errc::not_owner: return std::errc::operation_not_permitted;
            case errc::would_deadlock: return std::errc::resource_deadlock_would_occur;
            default: return {code, *this};
        }
    }
};

const char* text(condition kind) noexcept {
    switch (kind) {
        case condition::busy: return "other contenders have the lock";
        case condition::lost: return "the hold or the place in the queue was lost";
        case condition::stopped: return "the program ended the call";
        case condition::unreachable: return "no server can be used";
        case condition::refused: return "the servers refuse the request";
        case condition::conflict: return "a transaction does not fit the present znodes";
        case condition::unknown: return "a transaction may or may not have been executed";
        case condition::misuse: return "the call breaks a rule of the library";
    }
    return "unknown condition";
}

class condition_category final : public std::error_category {
public:
    [[nodiscard]] const char* name() const noexcept override { return "turnstile.condition"; }

    [[nodiscard]] std::string message(int kind) const override {
        return text(static_cast<condition>(kind));
    }

    [[nodiscard]] bool equivalent(const std::error_code& code, int kind) const noexcept override {
        return code.category() == turnstile::error_category() &&
               condition_of(static_cast<errc>(code.value())) == static_cast<condition>(kind);
    }
};

}  // namespace

// The switch has no `default`, so that the compiler warns about a code without a condition.
condition condition_of(errc code) noexcept {
    switch (code) {
        case errc::busy:
        case errc::timeout: return condition::busy;
        case errc::session_lost:
        case errc::removed:
        case errc::revoked:
        case errc::held_too_long: return condition::lost;
        case errc::cancelled:
        case errc::interrupted:
        case errc::closed: return condition::stopped;
        case errc::not_connected:
        case errc::unresolvable: return condition::unreachable;
        case errc::auth_failed:
        case errc::no_permission:
        case errc::no_chroot:
        case errc::server_too_old:
        case errc::too_many:
        case errc::protocol:
        case errc::lease_too_short:
        case errc::quota_exceeded:
        case errc::local_session: return condition::refused;
        case errc::no_node:
        case errc::node_exists:
        case errc::not_empty:
        case errc::bad_version: return condition::conflict;
        case errc::outcome_unknown: return condition::unknown;
        case errc::forked:
        case errc::bad_path:
        case errc::bad_connect_string:
        case errc::bad_option:
        case errc::not_owner:
        case errc::would_deadlock:
        case errc::not_held: break;
    }
    return condition::misuse;
}

std::error_condition make_error_condition(condition kind) noexcept {
    static const auto* const category = new condition_category;
    return {static_cast<int>(kind), *category};
}

bool is_retryable(errc code) noexcept {
    switch (condition_of(code)) {
        case condition::busy:
        case condition::lost:
        case condition::unreachable: return true;
        // A limit was reached. A retry can succeed after other clients have freed a part of the limited resource.
        case condition::refused: return code == errc::too_many || code == errc::quota_exceeded;
        default: return false;
    }
}

const std::error_category& error_category() noexcept {
    // Never destroyed: threads of a static client may report errors until the process ends.
    static const auto* const category = new turnstile_category;
    return *category;
}

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

std::string error::message() const {
    std::string out = text(code_);
    if (!message_.empty()) out.append(": ").append(support::visible(message_));
    return out;
}

void throw_error(const error& failure) {
    // Returns only error::message() from what(): std::system_error would append the code's text a second time.
    class error_with_message final : public std::system_error {
    public:
        explicit error_with_message(const error& e)
            : std::system_error{e.error_code()}, message_{e.message()} {}
        [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

    private:
        std::string message_;
    };
    throw error_with_message{failure};
}

namespace detail {

void end_without_value(const error& failure) noexcept {
    std::fprintf(stderr, "turnstile: the program used the value of a call that failed: %s\n",
                 failure.message().c_str());
    std::abort();
}

void end_without_error() noexcept {
    std::fputs("turnstile: the program used the error of a call that succeeded\n", stderr);
    std::abort();
}

}  // namespace detail

}  // namespace turnstile
