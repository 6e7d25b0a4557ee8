// SPDX-License-Identifier: Apache-2.0
// quorum_lock: one lock that a majority of independent ensembles grants.
//
// Purpose: a lock that outlives the loss of a whole ensemble, a data centre's for example. The idea is
// RedLock's (S. Sanfilippo, 2014), on ensembles each of which is strongly consistent and says until when a
// hold is certain, with a vector of fencing tokens for the rest (M. Kleppmann, 2016).
//
//     // east, north, west: a turnstile::client for each ensemble
//     turnstile::quorum_lock orders{{{east, "east"}, {north, "north"}, {west, "west"}}, "/locks/orders"};
//     if (auto hold = orders.acquire({.timeout = 10s}); hold) ship(hold->fencing_tokens());
//
// One wants it where a single ensemble across the places would have no majority when one of them goes, and
// where each place has an ensemble anyway. One ensemble with a server in each of three places is simpler,
// gives FIFO order and one number as a token, and outlives the loss of a place as well: prefer it.
// docs/why/quorum-lock.md has more on this, the protocol, and what happens when a step goes wrong.
//
// All programs that share the lock must name the same ensembles. More than half of those named must grant it, whether
// or not they can be reached: n ensembles outlive the loss of (n-1)/2, rounded down.
//
// Order: each ensemble's queue is FIFO, the whole is not. A contender that holds a minority for longer than an attempt
// gives it back and tries again after a random pause, so contenders that hold one ensemble each do not
// wait for each other for ever.
//
// The hold is valid while a majority of its parts is: valid_until() says until when that is certain without
// any further confirmation. It moves forward; back only when a part is taken away. A part that is lost is
// asked for again in the background, and counts again when it is granted, with a larger token. The guard's
// fencing_token() is the zero token: no single number orders the grants. fencing_tokens() has those
// of the parts that are certain at the call, by the ensembles' names; a resource refuses a write if any of them is
// lower than what it has seen (`fencing_vector::is_behind`).
//
// Thread safety: all members from any thread. A quorum_lock must not be destroyed while a call on it is
// under way; asynchronous acquisitions and guards may outlive it and the clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/lockable.hpp"
#include "turnstile/owned.hpp"

namespace turnstile {

struct quorum_options {
    // How long a contender that holds only the last ensemble keeps it while it waits for the others, and
    // up to half more, drawn at random; four times as long for each ensemble further ahead in the order of the
    // names (up to 256 times), so that the later ones make room. Longer than a round trip to the most distant
    // ensemble and a hand-over there. Positive, and a day at most.
    std::chrono::milliseconds attempt{1'000};
    // Pauses before what was given back, lost or refused is asked for again: jittered, doubling from the
    // first to the second. Positive, a day at most, and the first not longer than the second.
    std::chrono::milliseconds retry_first{50};
    std::chrono::milliseconds retry_longest{2'000};
};

// An ensemble that takes part. The client has to live until the quorum_lock has been made.
class quorum_member {
public:
    // The name is what its token is called, and has to be the same in every process; empty: the hosts of
    // the connect string.
    quorum_member(const client& servers, std::string name = {})  // NOLINT: reads as a list
        : servers_{&servers}, name_{std::move(name)} {}

    [[nodiscard]] const client& servers() const noexcept { return *servers_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    const client* servers_;
    std::string name_;
};

class TURNSTILE_EXPORT quorum_lock : public lockable<quorum_lock> {
public:
    // Throws std::system_error: bad_option (fewer than 3 ensembles or more than 64, two that have a host or a name
    // in common, an option that breaks its rule), bad_path, closed (a client that was moved from). Sends nothing.
    quorum_lock(std::vector<quorum_member> ensembles, std::string_view path,
                quorum_options options = {});
    // Gives up what the standard forms hold.
    ~quorum_lock();
    quorum_lock(const quorum_lock&) = delete;
    quorum_lock& operator=(const quorum_lock&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;
    // The ensembles' names and the path, as multi_lock orders by it.
    [[nodiscard]] const std::string& resource() const noexcept;
    [[nodiscard]] std::size_t majority() const noexcept;

    // The three also with a time-out or deadline alone, acquire(2s): lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for a majority. Errors as those of `mutex`; the message tells what each ensemble said.
    //   timeout, not_connected    the latter if no majority of the clients is connected
    //   closed, no_permission ... so many ensembles refuse for good that no majority is left
    // There is no on_entered and no on_queued: there is no one queue; and no max_hold (bad_option), and no
    // lock_delay: a part that ends is taken back as long as a majority stands. on_at_risk and on_expiring tell
    // of each part, with what is left of the whole (on_expiring only if that is less than warn_before).
    result<guard> acquire(acquire_options options = {});
    // Takes the lock if no contender is ahead in a majority, else `busy`. Waits for so many servers' answers as
    // decide it, at most for the session time-outs.
    result<guard> try_acquire(acquire_options options = {});
    // The asynchronous form: no thread waits. `handler` runs once, with what acquire() would return, on the
    // callbacks' executor of one of the clients. Throws std::system_error(bad_option) for an empty handler
    // or a max_hold.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // The head of each ensemble's queue, in the order of the ensembles' names. Asked one after the other,
    // each within the limit: an ensemble that does not answer has its error here.
    [[nodiscard]] std::vector<result<std::optional<contender>>> heads(
        const query_options& options = {}) const;

private:
    friend lockable<quorum_lock>;
    void take();
    bool try_take(boottime_clock::duration left);
    void give_back();
    [[nodiscard]] const guard* own() const noexcept;

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
