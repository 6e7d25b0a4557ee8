// SPDX-License-Identifier: Apache-2.0
// revocation: asks a holder or a waiter to give up a lock, or takes the lock away from it.
//
// Use it when an operator or a program needs a lock whose holder does not release it.
//
//     turnstile::revocation orders{servers, "/locks/orders"};
//     auto stuck = lock.holder().value();
//     const turnstile::revoke_options reason{.who = "ops", .why = "deployment"};
//     orders.ask(*stuck, reason).value();                                // the holder may release
//     if (is_held_after(5s)) orders.take(*stuck, reason).value();        // the holder has to
//
// | call       | effect                                                   | exclusion | what the old holder notices  |
// |------------|----------------------------------------------------------|-----------|------------------------------|
// | ask()      | writes a request into the contender's znode              | kept      | `on_asked_to_release`        |
// | take()     | writes an order; later deletes a znode that still exists | kept      | the loss (`revoked`)         |
// | take_now() | deletes the znode at once                                | lost      | the loss, perhaps much later |
//
// Exclusion is promise G1 of docs/guarantees.md: at most one valid hold of an exclusive lock exists at any instant.
//
// ask(). The holder decides whether it releases the lock. If the data of the contender's znode are empty or an IP
// address, as Curator's clients write them, ask() replaces the data by Curator's own request. A client of Curator gets
// this request through its revocation listener, if it has one.
//
// take(). A holder that uses this library loses its hold at once, with `revoked`, when it sees the order. A holder that
// does not see the order (because it is paused or cut off) cannot extend its lease any more. So take() waits until that
// lease must have ended, and then deletes the znode. No contender is granted the lock while the old hold is still
// valid.
//
// take_now() gives up exclusion: the old holder regards its hold as valid until it learns of the deletion, and until
// then only fencing tokens protect the data.
//
// The order of take() replaces the request of ask(). If the order replaces the request before the holder has read the
// request, the holder learns only of its loss. So give the holder time between the two calls, as `turnstile take` does.
// A request never replaces an order.
//
// Each call acts only on the znode that the caller saw: if that znode was deleted, and the path now has a new znode
// (another czxid), the call does nothing. The old holder gets the operator's name and the reason; the log of this
// process (log.hpp) has them too. Revocation works for contenders of every recipe. How to use revocation:
// docs/how-to/revocation.md. The protocol: docs/why/revocation.md.
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
    std::string who{};  // the operator's name, for the old holder and the log: at most 1024 bytes
    // The reason, for the old holder and the log: at most 1024 bytes.
    std::string why{};
    // take() writes its order, and waits for this time until the znode is gone. If the znode still exists then, take()
    // deletes it. Default: twice the session timeout that the contender claims in its znode, or twice this client's
    // session timeout if that is longer.
    //
    // The caller must set this time for a contender of another library, which has no lease and claims no session
    // timeout. The caller must also set it if the contender's claim cannot be true: the claim is more than an hour
    // (contender_metadata leaves it out then), or more than `longest_session`.
    std::optional<std::chrono::milliseconds> wait{};
    // For take(): the longest session timeout that the servers grant (maxSessionTimeout), if the caller knows it.
    // Default: unknown.
    std::optional<std::chrono::milliseconds> longest_session{};
    // A stop request ends the call with `cancelled`. The call then withdraws its request or order, which takes up to 5
    // s more. If the servers do not answer in that time, the message says that the request or order remains in the
    // znode.
    std::stop_token stop{};
};

// The way in which a contender left the queue.
enum class revocation_outcome {
    gave_way,    // its znode was removed before take() deleted it
    deleted,     // take() deleted its znode after the wait
    gone_before  // its znode did not exist when the call began
};

// Returns whether the data in `seen`, which the caller read from the contender's znode, contain an order of take() to
// give up the lock.
[[nodiscard]] TURNSTILE_EXPORT bool is_ordered_away(const contender& seen);

// Revokes contenders of one lock.
class TURNSTILE_EXPORT revocation {
public:
    // Makes an object for the lock at `path`, and sends nothing. Throws std::system_error: `bad_path`, or `closed` if
    // `servers` was moved from.
    revocation(const client& servers, std::string_view path);
    // Refuses a temporary client, which would close at the end of the statement.
    revocation(client&&, std::string_view) = delete;
    ~revocation();
    revocation(const revocation&) = delete;
    revocation& operator=(const revocation&) = delete;

    // Asks the contender `target` to release the lock. Errors of all members: `removed` (ask(): the contender is gone),
    // `no_permission`, `bad_option` (`who`, `why` or `wait` breaks a rule, or the contender has no name), `busy` (other
    // clients change the znode's data faster than this call can replace it), and the errors of queries: `timeout`,
    // `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`, `auth_failed`, `protocol`.
    [[nodiscard]] result<void> ask(const contender& target, const revoke_options& options) const;
    // Takes the lock from the contender, and waits until the contender's znode is gone. The call is a Boost
    // interruption point. An interrupted call removes its order from the znode, as after a stop request (`stop`).
    [[nodiscard]] result<revocation_outcome> take(const contender& target,
                                                  const revoke_options& options) const;
    // take() writes an order to give up the lock, and waits before it deletes the znode. This function returns the
    // longest time of that wait, so that a program can show the time before it calls take(). Sends nothing. If another
    // client overwrites the order, the wait starts again, at most twice. Errors: `bad_option`.
    [[nodiscard]] result<std::chrono::milliseconds> longest_wait(
        const contender& target, const revoke_options& options) const;
    // Removes the request or order that ask() or take() wrote with the same `who` and `why`, if it is still at the end
    // of the znode's data. A holder that has read an order has lost its hold nevertheless. The call ignores `stop`. For
    // a contender of Curator, a request replaces the znode's data; the call then writes the data in `target` back.
    [[nodiscard]] result<void> withdraw(const contender& target,
                                        const revoke_options& options) const;
    // Deletes the contender's znode at once. Exclusion (G1) may be lost: the old holder and the next holder may both
    // have the lock until the old holder learns of the deletion.
    [[nodiscard]] result<revocation_outcome> take_now(const contender& target,
                                                      const revoke_options& options) const;

private:
    class state;
    const detail::owned<const state> state_;
};

}  // namespace turnstile
