// SPDX-License-Identifier: Apache-2.0
// quorum_lock: one lock that a majority of independent ensembles grants.
//
// Use it if the lock must outlive the loss of a whole ensemble, such as a data centre's, and each place has
// its own ensemble anyway; or if a single ensemble across all places would lose its majority together with one place.
// Otherwise prefer one ensemble with a server in each of three places: it is simpler, grants in FIFO order, has one
// number as its token, and also outlives the loss of a place.
//
//     // east, north, west: a turnstile::client for each ensemble
//     turnstile::quorum_lock orders{{{east, "east"}, {north, "north"}, {west, "west"}}, "/locks/orders"};
//     if (auto hold = orders.acquire({.timeout = 10s}); hold) ship(hold->fencing_tokens());
//
// The idea is RedLock's (S. Sanfilippo, 2014). The difference: each ensemble is strongly consistent and says how long a
// hold is certain, and a vector of fencing tokens covers the rest (M. Kleppmann, 2016). docs/why/quorum-lock.md has the
// reasons, the protocol, and what happens if a step fails.
//
// All programs that share the lock must name the same ensembles. More than half of the named ensembles must grant it,
// whether or not they can be reached. So n ensembles outlive the loss of (n-1)/2, rounded down.
//
// Order. The queue of each ensemble is FIFO, the whole lock is not. A contender that holds only a minority for longer
// than an attempt gives it back, and tries again after a random pause. So contenders that hold one ensemble each do not
// wait for each other for ever.
//
// The hold is valid while a majority of its parts is valid. valid_until() says how long that is certain without any
// further confirmation. That time moves forward, and moves back only when a part is taken away. The client acquires a
// lost part again in the background. The part counts again after its grant, with a larger token.
//
// Fencing tokens. fencing_token() of the guard is the zero token, because no single number orders the grants.
// fencing_tokens() has the tokens of the parts that are certain at the call, by the ensembles' names. A store refuses a
// write if any token of the write is lower than the largest token of that ensemble that the store has seen
// (`fencing_vector::is_behind`).
//
// Thread safety: any thread may call any member. Do not destroy a quorum_lock while a call on it is in progress.
// Asynchronous acquisitions and guards may outlive it and the clients.
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

// The timing of a quorum_lock.
struct quorum_options {
    // Says how long a contender that holds only the last ensemble keeps it while it waits for the others. The library
    // adds a random part of up to half of it. The time is four times as long for each ensemble further ahead in the
    // order of the names (up to 256 times), so that the later contenders give way. Choose it longer than a round trip
    // to the most distant ensemble plus a handover there. Positive, at most a day.
    std::chrono::milliseconds attempt{1'000};
    // Pauses before the client asks again for a part that it gave back or lost, or that was refused. They have jitter,
    // and double from `retry_first` to `retry_longest`. Both are positive and at most a day, and `retry_first` is at
    // most `retry_longest`.
    std::chrono::milliseconds retry_first{50};
    std::chrono::milliseconds retry_longest{2'000};
};

// An ensemble that takes part. The client must live until the quorum_lock has been constructed.
class quorum_member {
public:
    // `name` is the name of the ensemble's token. It must be the same in every process. Empty: the hosts of the connect
    // string.
    quorum_member(const client& servers, std::string name = {})  // NOLINT: reads as a list
        : servers_{&servers}, name_{std::move(name)} {}
    // Refuses a temporary client: it would close at the end of the statement, and the lock with it.
    quorum_member(client&&, std::string = {}) = delete;

    // Returns the client of the ensemble.
    [[nodiscard]] const client& servers() const noexcept { return *servers_; }
    // Returns the name as given. Empty: the hosts of the connect string are the name.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    const client* servers_;
    std::string name_;
};

// A lock on one path of several ensembles.
class TURNSTILE_EXPORT quorum_lock : public lockable<quorum_lock> {
public:
    // Makes a lock, and sends nothing. Throws std::system_error: `bad_option` (fewer than 3 or more than 64 ensembles;
    // two ensembles with a common host or the same name; an option that breaks its rule); `bad_path`; `closed` (a
    // client that was moved from).
    quorum_lock(std::vector<quorum_member> ensembles, std::string_view path,
                quorum_options options = {});
    // Releases the holds that the standard forms have taken.
    ~quorum_lock();
    quorum_lock(const quorum_lock&) = delete;
    quorum_lock& operator=(const quorum_lock&) = delete;

    // Returns the path, as given.
    [[nodiscard]] const std::string& path() const noexcept;
    // Returns the ensembles' names and the path: the key of this lock in the order of a multi_lock.
    [[nodiscard]] const std::string& resource() const noexcept;
    // Returns how many ensembles must grant the lock.
    [[nodiscard]] std::size_t majority() const noexcept;

    // Each of the three also takes a timeout or a deadline in place of options, as in acquire(2s): see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for a majority. Errors: the errors of mutex; the message tells what each ensemble said.
    // - `timeout`: the timeout passed. `not_connected`: it passed, and no majority of the clients is connected.
    // - `closed`, `no_permission` and other final errors: so many ensembles refuse that no majority is left.
    //
    // Some options do not apply. There is no single queue, so on_entered and on_queued are not called. `max_hold` is
    // refused (`bad_option`). There is no lock delay: while a majority holds, the client acquires an ended part again.
    // on_at_risk and on_expiring are called for each part, with the time that is left of the whole hold (on_expiring
    // only if that time is less than warn_before).
    result<guard> acquire(acquire_options options = {});
    // Takes the lock if no contender is ahead in a majority; otherwise returns `busy`. It waits for as many answers as
    // decide the outcome, at most for the session timeouts.
    result<guard> try_acquire(acquire_options options = {});
    // Like acquire(), but no thread waits. `handler` runs once, with the result of acquire(), on the callbacks'
    // executor of one of the clients. Throws std::system_error(bad_option) for an empty handler or a max_hold.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Returns the first contender of each ensemble's queue, in the order of the ensembles' names. The call asks one
    // ensemble after the other, each within the limit. An ensemble that does not answer has its error in its place.
    [[nodiscard]] std::vector<result<std::optional<contender>>> heads(
        const query_options& options = {}) const;
    // Takes a timeout or a deadline in place of options: heads(2s).
    template <waiting_time W>
    [[nodiscard]] std::vector<result<std::optional<contender>>> heads(const W& limit) const {
        return heads({.timeout = limit});
    }

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
