// SPDX-License-Identifier: Apache-2.0
// revocation: asks a holder or a waiter to leave the queue, or removes it.
//
// Use it when an operator or a program needs a lock whose holder does not release it.
//
//     turnstile::revocation orders{servers, "/locks/orders"};
//     auto stuck = lock.holder().value();
//     const turnstile::revoke_options reason{.who = "ops", .why = "deployment"};
//     orders.ask(*stuck, reason).value();                                // it may let go
//     if (is_held_after(5s)) orders.take(*stuck, reason).value();        // it has to
//
// | call       | effect                                                   | G1   | the old holder learns it          |
// |------------|----------------------------------------------------------|------|-----------------------------------|
// | ask()      | writes a request into the contender's znode              | kept | by `on_asked_to_release`          |
// | take()     | writes an order; later deletes a znode that still exists | kept | by the loss (`revoked`)           |
// | take_now() | deletes the znode at once                                | lost | by the loss, when it hears of it  |
//
// ask(). The holder decides whether it releases the lock. Curator's clients get the request from their revocation
// listener, if their znode says that they have one.
//
// take(). A holder of this library that sees the order loses its hold at once, with `revoked`. A holder that does not
// see it (paused, cut off) cannot confirm its hold any more; take() deletes its znode when its lease must have ended.
// So no contender is granted the lock while the old hold is still valid (G1).
//
// take_now() gives up G1: the old holder may believe in its hold until it hears of the deletion, and only fencing
// tokens protect against it.
//
// An order replaces a request. A holder that has not read the request by then learns only of its loss. So leave the
// holder time between the two calls, as `turnstile take` does. A request never replaces an order.
//
// Each call acts only on the znode that the caller saw: if the path has a znode with another czxid by now, the call
// does nothing. The names of the operator and the reason go to the old holder, and to the log of this process
// (log.hpp). Revocation works for contenders of every recipe. How to use it: docs/how-to/revocation.md. The protocol:
// docs/why/revocation.md.
//
// Thread safety: any thread may call any member.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// The options of ask() and take().
struct revoke_options {
    std::string who{};  // the operator, for the record: at most 1024 bytes
    // The reason, for the record: at most 1024 bytes.
    std::string why{};
    // take(): the time from the order to the deletion of a znode that still exists. Default: twice the session timeout
    // that the contender claims in its znode, or twice this client's, if that is longer.
    //
    // The time must be given for a contender of another library, which keeps no lease and claims no session timeout;
    // and for a contender whose claim cannot be true (contender_metadata drops claims above an hour, and
    // `longest_session` excludes claims above its value).
    std::optional<std::chrono::milliseconds> wait{};
    // take(): the longest session timeout that the servers grant (maxSessionTimeout), if the caller knows it. Default:
    // unknown.
    std::optional<std::chrono::milliseconds> longest_session{};
    // A stop request ends the call with `cancelled`. The call then withdraws its request or order, which takes up to 5
    // s more. If the servers do not answer in that time, the message says that the mark remains in the znode.
    std::stop_token stop{};
};

// The way in which a contender left.
enum class revocation_outcome {
    gave_way,    // its znode was removed before its time had passed
    deleted,     // its time had passed, and take() deleted its znode
    gone_before  // its znode did not exist when the call began
};

// Returns whether the contender's znode had an order of take() when it was read.
[[nodiscard]] TURNSTILE_EXPORT bool is_ordered_away(const contender& seen);

// Revokes contenders of one lock.
class TURNSTILE_EXPORT revocation {
public:
    // Throws std::system_error: `bad_path`; `closed` for a client that was moved from.
    revocation(const client& servers, std::string_view path);
    // Refuses a temporary client: it would close at the end of the statement, and the object with it.
    revocation(client&&, std::string_view) = delete;
    ~revocation();
    revocation(const revocation&) = delete;
    revocation& operator=(const revocation&) = delete;

    // Asks the contender to release the lock. Errors of all members: `removed` (ask(): the contender is gone),
    // `no_permission`, `bad_option` (`who`, `why`, `wait`; a contender without a name), `busy` (its znode changes
    // faster than it can be read), and the errors of queries: `timeout`, `not_connected`, `cancelled`, `interrupted`,
    // `closed`, `forked`, `auth_failed`, `protocol`.
    [[nodiscard]] result<void> ask(const contender& target, const revoke_options& options) const;
    // Takes the lock from the contender, and waits until its znode is gone. A Boost interruption point; an interruption
    // withdraws the order, as `stop` does.
    [[nodiscard]] result<revocation_outcome> take(const contender& target,
                                                  const revoke_options& options) const;
    // Returns how long take() waits at most between its order and the deletion, so that a program can say so before.
    // Sends nothing. If another client writes over the order, the wait starts anew, at most twice. Errors:
    // `bad_option`.
    [[nodiscard]] result<std::chrono::milliseconds> longest_wait(
        const contender& target, const revoke_options& options) const;
    // Removes the request or order that ask() or take() wrote with the same `who` and `why`, if it is still at the end
    // of the znode's data. A holder that has read an order has lost its hold nevertheless. Ignores `stop`. For a
    // contender of Curator, whose data a request replaces, it writes the data of `target` again.
    [[nodiscard]] result<void> withdraw(const contender& target,
                                        const revoke_options& options) const;
    // Deletes the znode at once, without regard to G1.
    [[nodiscard]] result<revocation_outcome> take_now(const contender& target,
                                                      const revoke_options& options) const;

private:
    class state;
    const detail::owned<const state> state_;
};

}  // namespace turnstile
