// SPDX-License-Identifier: Apache-2.0
// quorum_lock: one lock that is held when a majority of independent ensembles has granted it.
//
// Use it in one of two cases:
// - The lock must survive the loss of a whole data centre, and each data centre has its own ensemble anyway.
// - A single ensemble across all data centres would lose its majority together with one data centre.
// Otherwise prefer one ensemble with a server in each of three data centres. Such an ensemble is simpler, grants in
// FIFO order, has one number as a token, and also survives the loss of a data centre.
//
//     // east, north, west: a turnstile::client for each ensemble
//     turnstile::quorum_lock orders{{{east, "east"}, {north, "north"}, {west, "west"}}, "/locks/orders"};
//     if (auto hold = orders.acquire({.timeout = 10s}); hold) ship(hold->fencing_tokens());
//
// The idea is RedLock's (S. Sanfilippo, 2014). Two things differ: each ensemble is strongly consistent, so the client
// knows how long a hold is certain; and a vector of fencing tokens protects stores from late writes (M. Kleppmann,
// 2016). docs/why/quorum-lock.md has the protocol and the reasons.
//
// All programs that share the lock must name the same ensembles. More than half of the named ensembles must grant the
// lock, even if some ensembles cannot be reached. So with n ensembles the lock survives the loss of (n-1)/2 ensembles,
// rounded down.
//
// Order. The queue of each ensemble is FIFO, but the quorum_lock is not. If a contender holds only a minority of the
// ensembles for longer than `attempt` (quorum_options), it releases these ensembles, and tries again after a random
// pause. So contenders that hold one ensemble each do not wait for each other for ever.
//
// A part is the hold on one ensemble. The whole hold is valid while a majority of parts is valid. valid_until() returns
// the instant until which a majority is certain, even if the servers confirm nothing more. That instant moves forward,
// and moves back only when a part is taken away. The client acquires a lost part again in the background. After the new
// grant the part is valid again, with a larger token.
//
// Fencing tokens. fencing_token() of the guard is the zero token, because no single number orders the grants.
// fencing_tokens() returns the tokens of the parts that are certain at the time of the call, with the ensembles' names.
// A store refuses a write if any token of the write is lower than the largest token of that ensemble that the store has
// seen (`fencing_vector::is_behind`).
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
    // The time for which a contender that holds a minority of the ensembles keeps these ensembles while it waits for
    // the other ensembles. The ensembles are in the order of their names. If n ensembles come after the first ensemble
    // that the contender holds, the library multiplies this value by 4^n, at most by 256. So contenders that hold only
    // later ensembles give way first. The library then adds a random time of up to half of the product. Choose a value
    // longer than a round trip to the most distant ensemble plus a handover there. Positive, at most a day.
    std::chrono::milliseconds attempt{1'000};
    // The first and the longest pause before the client requests the lock again from an ensemble that refused it, or
    // whose hold the client gave back or lost. Each pause is twice as long as the pause before, with jitter. Both
    // values are positive and at most a day, and `retry_first` is at most `retry_longest`.
    std::chrono::milliseconds retry_first{50};
    std::chrono::milliseconds retry_longest{2'000};
};

// An ensemble of a quorum_lock. The client must live until the quorum_lock has been constructed.
class quorum_member {
public:
    // `name` is the name of the ensemble, also for its token in a fencing_vector. It must be the same in every process.
    // Empty: the hosts of the connect string.
    quorum_member(const client& servers, std::string name = {})  // NOLINT: reads as a list
        : servers_{&servers}, name_{std::move(name)} {}
    // Refuses a temporary client, which would close at the end of the statement.
    quorum_member(client&&, std::string = {}) = delete;

    // Returns the client of the ensemble.
    [[nodiscard]] const client& servers() const noexcept { return *servers_; }
    // Returns the name that was given to the constructor. Empty: the hosts of the connect string are the name.
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
    // client was moved from).
    quorum_lock(std::vector<quorum_member> ensembles, std::string_view path,
                quorum_options options = {});
    // Releases the holds that lock(), try_lock(), try_lock_for() and try_lock_until() have taken.
    ~quorum_lock();
    quorum_lock(const quorum_lock&) = delete;
    quorum_lock& operator=(const quorum_lock&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;
    // Returns the ensembles' names and the path. A multi_lock orders its locks by this text.
    [[nodiscard]] const std::string& resource() const noexcept;
    // Returns how many ensembles must grant the lock.
    [[nodiscard]] std::size_t majority() const noexcept;

    // These functions also take a timeout or a deadline in place of options, as in acquire(2s): see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits until a majority of the ensembles has granted the lock. Errors: the errors of mutex::acquire(); the message
    // has the answer of each ensemble.
    // - `timeout`: the timeout passed. `not_connected`: the timeout passed, and fewer than a majority of the clients
    //   are connected.
    // - `closed`, `no_permission` and other permanent errors: so many ensembles refuse that the other ensembles are no
    //   majority.
    //
    // Some options do not apply. There is no single queue, so on_entered and on_queued are not called. `max_hold` is
    // refused (`bad_option`). There is no lock delay, because the client acquires a lost part (the hold on one
    // ensemble) again while it holds a majority. on_at_risk and on_expiring are called for each part, and get the time
    // of the whole hold. on_expiring is called only if less than warn_before is left of the whole hold.
    result<guard> acquire(acquire_options options = {});
    // Takes the lock if no contender is ahead in the queues of a majority; otherwise returns `busy`. The call waits
    // until enough ensembles have answered to decide the outcome. It waits for an ensemble at most for the session
    // timeout of that ensemble's client.
    result<guard> try_acquire(acquire_options options = {});
    // Like acquire(), but no thread waits. `handler` runs once, with the result of acquire(), on the callbacks'
    // executor of one of the clients. Throws std::system_error(bad_option) for an empty handler or a max_hold.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Returns the first contender of each ensemble's queue, in the order of the ensembles' names. The call asks one
    // ensemble after the other; the limit of the options applies to each ensemble. For an ensemble that does not
    // answer, the result has the error.
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
