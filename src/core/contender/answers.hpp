// SPDX-License-Identifier: Apache-2.0
// answers: the way of a contender from a request in progress (pending_ticket), to the meaning of the servers' answer
// (answer_class), and to the action that follows (consequence).
//
// Thread safety: none needed, values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// pending_ticket: the ticket of a request in progress, or none. It takes half the memory of an optional, since no
// request has the ticket 0.
class pending_ticket {
public:
    constexpr pending_ticket() noexcept = default;
    constexpr pending_ticket(ticket id) noexcept
        : id_{id} {}  // NOLINT: reads as `listing_ = c.list(folder)`

    [[nodiscard]] explicit constexpr operator bool() const noexcept { return id_ != ticket{}; }
    [[nodiscard]] constexpr bool is(ticket id) const noexcept {
        return id_ == id && id_ != ticket{};
    }
    // If `answer` is the reply to the request, forgets the ticket and returns true. Otherwise changes nothing.
    constexpr bool take_answer(const reply& answer) noexcept {
        if (id_ != answer.id || id_ == ticket{}) return false;
        id_ = {};
        return true;
    }
    constexpr void reset() noexcept { id_ = {}; }

    friend constexpr bool operator==(const pending_ticket&, const pending_ticket&) = default;

private:
    ticket id_{};
};

// answer_class: groups the servers' errors by the consequence that they have for a contender.
//
// | class      | errors                                         | meaning                                         |
// |------------|------------------------------------------------|-------------------------------------------------|
// | ok         | ok                                             | the servers carried out the request             |
// | gone       | no_node                                        | the znode does not exist                        |
// | conflict   | node_exists, bad_version                       | another client wrote first                      |
// | forbidden  | no_auth                                        | a right is missing, now and probably later      |
// | over_quota | quota_exceeded                                 | an operator's limit is used up                  |
// | bad_acl    | invalid_acl                                    | the servers do not accept our credentials       |
// | elsewhere  | session_expired, session_moved, not_read_only  | only another connection or session gets answers |
// | retry      | all others                                     | the contender sends the same request later      |
//
// A new server error does not compile before this file classifies it.
enum class answer_class : std::uint8_t {
    ok,
    gone,
    conflict,
    forbidden,
    over_quota,
    bad_acl,
    elsewhere,
    retry
};

[[nodiscard]] constexpr answer_class classify(server_error error) noexcept {
    switch (error) {
        case server_error::ok: return answer_class::ok;
        case server_error::no_node: return answer_class::gone;
        case server_error::node_exists:
        case server_error::bad_version: return answer_class::conflict;
        case server_error::no_auth: return answer_class::forbidden;
        case server_error::quota_exceeded: return answer_class::over_quota;
        case server_error::invalid_acl: return answer_class::bad_acl;
        case server_error::session_expired:
        case server_error::session_moved:
        case server_error::not_read_only: return answer_class::elsewhere;
        case server_error::not_empty:
        case server_error::no_children_for_ephemerals:
        case server_error::bad_arguments:
        case server_error::unimplemented:
        case server_error::rolled_back:
        case server_error::auth_failed:
        case server_error::throttled:
        case server_error::local_session:
        case server_error::other: return answer_class::retry;
    }
    return answer_class::retry;  // never reached
}

// Classifies a whole reply. A request without an answer must be sent again.
[[nodiscard]] constexpr answer_class classify(const reply& answer) noexcept {
    return answer.outcome == outcome::answered ? classify(answer.error) : answer_class::retry;
}

// Returns the part of a multi whose refusal rolled the other parts back; nothing if the answer names no part.
[[nodiscard]] inline std::optional<std::size_t> failed_part(const reply& answer) {
    const auto& parts = answer.parts;
    const auto failed = std::find_if(parts.begin(), parts.end(), [](server_error part) {
        return part != server_error::ok && part != server_error::rolled_back;
    });
    if (failed == parts.end()) return std::nullopt;
    return static_cast<std::size_t>(failed - parts.begin());
}

// True if the servers refused one part of a transaction that contains requests of several contenders (batches.hpp).
// Then they carried out no part, and each part may succeed if it is sent alone. False if the answer concerns the
// session or its server.
[[nodiscard]] constexpr bool is_batch_refused(const reply& answer) noexcept {
    const auto found = classify(answer.error);
    return answer.outcome == outcome::answered && found != answer_class::ok &&
           found != answer_class::elsewhere;
}

// consequence: the action that a contender must take after an answer to a request of one of its components.
//
// A component, like lock_delay, sends requests and keeps data. Only the contender changes its own state.

struct goes_on {  // continue with the next step
    friend bool operator==(const goes_on&, const goes_on&) = default;
};
struct done {  // the component's purpose is fulfilled
    friend bool operator==(const done&, const done&) = default;
};
struct suspends {  // send nothing more until the next link event, or until a pause has passed
    friend bool operator==(const suspends&, const suspends&) = default;
};
struct lists_again {  // the known children of the folder are out of date: list them again
    friend bool operator==(const lists_again&, const lists_again&) = default;
};
struct own_znode_gone {  // another client removed the contender's znode
    friend bool operator==(const own_znode_gone&, const own_znode_gone&) = default;
};
struct own_znode_changed {  // another client has written into the contender's znode
    friend bool operator==(const own_znode_changed&, const own_znode_changed&) = default;
};
struct refused {  // the servers refused the request for good
    error why;
    friend bool operator==(const refused&, const refused&) = default;
};

using consequence =
    std::variant<goes_on, done, suspends, lists_again, own_znode_gone, own_znode_changed, refused>;

}  // namespace turnstile::core
