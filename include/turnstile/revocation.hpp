// SPDX-License-Identifier: Apache-2.0
// revocation: gets a holder, or a waiter in the queue, out of the way.
//
//     turnstile::revocation orders{servers, "/locks/orders"};
//     auto stuck = lock.holder().value();
//     const turnstile::revoke_options reason{.who = "ops", .why = "deployment"};
//     orders.ask(*stuck, reason).value();                                // it may let go
//     if (is_held_after(5s)) orders.take(*stuck, reason).value();        // it has to
//
// `ask` writes a request into the contender's znode; a holder of ours is told by `on_asked_to_release`, one
// of Curator's by its revocation listener if its znode says so. `take` writes an order: a holder of ours that
// sees it is told `revoked` and lets go at once; one that does not see it (paused, cut off) cannot confirm its
// hold any more, and its znode is deleted when its lease must be over. So no contender is granted the lock while
// the old hold is still valid (G1). `take_now` deletes the znode at once and waives that: the old holder may
// go on believing in its hold until it hears of the deletion, and only fencing tokens protect from it.
//
// An order takes the place of a request: a holder that has not read the request by then is told of its loss alone.
// So leave it time in between, as `turnstile take` does. A request never takes the place of an order.
//
// Each acts on the very znode that was seen: if its czxid is another one by now, nothing is done. The operator
// and the reason go to the old holder and to the log of this process (log.hpp). For contenders of every recipe.
// How to use it: docs/how-to/revocation.md; the protocol: docs/why/revocation.md.
//
// Thread safety: all members from any thread.
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

struct revoke_options {
    std::string who{};  // for the record: at most 1024 bytes each
    std::string why{};
    // take: from the order to the deletion of a znode that still stands. Default: twice the session time-out that the
    // contender claims in its znode, or twice that of this client if that is longer. A contender of another library
    // keeps no lease and says no time-out: then the wait must be given. The same goes for a contender whose claim
    // cannot be true: contender_metadata drops claims above an hour, `longest_session` those above what it says.
    std::optional<std::chrono::milliseconds> wait{};
    // take: the longest session time-out that the servers grant (maxSessionTimeout), where the caller knows it. Default:
    // unknown.
    std::optional<std::chrono::milliseconds> longest_session{};
    // Ends the call with `cancelled`, and withdraws the request or the order: the call takes up to 5 s more for that. If
    // the servers do not answer meanwhile, the message says that the mark stays.
    std::stop_token stop{};
};

// How a contender went.
enum class revocation_outcome {
    gave_way,    // its znode went before its time was over
    deleted,     // its time was over, and its znode was deleted
    gone_before  // it was not there any more when the call began
};

class TURNSTILE_EXPORT revocation {
public:
    // Throws std::system_error: bad_path; closed, for a client that was moved from.
    revocation(const client& servers, std::string_view path);
    ~revocation();
    revocation(const revocation&) = delete;
    revocation& operator=(const revocation&) = delete;

    // Errors of all: removed (ask: it is not there any more), no_permission, bad_option (`who`, `why`, `wait`;
    // a contender without a name), busy (its znode changes faster than it can be read), and those of queries:
    // timeout, not_connected, cancelled, interrupted, closed, forked, auth_failed, protocol.
    [[nodiscard]] result<void> ask(const contender& target, const revoke_options& options) const;
    // Waits until it is gone. A Boost interruption point, which withdraws the order as `stop` does.
    [[nodiscard]] result<revocation_outcome> take(const contender& target,
                                                  const revoke_options& options) const;
    // How long take() waits at most between its order and the deletion, to be said before. Sends nothing. Another
    // client that writes over the order starts the wait anew, twice at most. Errors: bad_option.
    [[nodiscard]] result<std::chrono::milliseconds> longest_wait(
        const contender& target, const revoke_options& options) const;
    // Removes what ask() and take() wrote with the same `who` and `why` and what still stands at the end of the znode's
    // data. A holder that has read an order is lost nonetheless. `stop` is not looked at. For a contender of Curator's,
    // whose data a request replaces: the data of `target` are put back.
    [[nodiscard]] result<void> withdraw(const contender& target,
                                        const revoke_options& options) const;
    [[nodiscard]] result<revocation_outcome> take_now(const contender& target,
                                                      const revoke_options& options) const;

private:
    class state;
    const detail::owned<const state> state_;
};

}  // namespace turnstile
