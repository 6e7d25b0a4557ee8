// SPDX-License-Identifier: Apache-2.0
// semaphore: a fair, counting lock between processes. At most n permits are held at any instant.
//
// Use it to limit how many processes do something at once, like connections to a database. Waiters get permits in the
// order in which they arrived at the servers.
//
//     turnstile::semaphore connections{servers, "/semaphores/database", 20};
//     if (auto permit = connections.acquire({.timeout = 2s})) query();
//     if (auto several = connections.acquire(5, {.timeout = 2s})) query_in_bulk();
//     connections.set_limit(30).value();
//
// A guard holds one permit, or several at once. It belongs to no thread, may move to another thread, is lost when its
// session ends, and gives the permits back when it is destroyed. The functions of std::counting_semaphore return no
// guard, so this class does not have them; `counting_semaphore` below has them.
//
// The number of permits is stored in the data of the path's znode. A semaphore that is constructed with a number stores
// it at its first acquisition, if no number is stored yet. If a different number is stored, that first acquisition
// fails, and the error has both numbers. Later any client may change the number for all clients with set_limit(), which
// disturbs no holder. A semaphore that is constructed without a number uses the stored number.
//
// Fairness. First come, first served: a small request does not overtake a large request at the head of the queue, so
// large requests do not starve. Only the waiter at the head watches the holds. When a hold ends, the head wakes; then
// the waiters behind it wake one after the other, as long as there are free permits.
//
// No overbooking. A hold becomes invalid in its client before it ends at the servers (see guard). When the number
// of permits shrinks, no holder loses a permit; new grants wait until enough permits have been given back.
//
// Protocol: ephemeral sequential znodes `_c_<uuid>-lease-<n>`, or `-lease<k>-<n>` for k permits. A path cannot be
// shared with the semaphores of Curator or kazoo, which use other protocols. How to use a semaphore:
// docs/how-to/semaphore.md. The protocol: docs/why/semaphore.md.
//
// Thread safety: any thread may call any member. Do not destroy a semaphore while a call on it is in progress.
// Asynchronous acquisitions and guards may outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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
#include "turnstile/permit_count.hpp"

namespace turnstile {

// A semaphore on one path.
class TURNSTILE_EXPORT semaphore {
public:
    // Makes a semaphore of `permits` permits, or a semaphore that uses the stored number. Sends nothing. Throws
    // std::system_error: `bad_path`; `bad_option` for a number outside permit_count's range (the message names the
    // value and the rule); `closed` if `servers` was moved from.
    semaphore(const client& servers, std::string_view path, permit_count permits);
    semaphore(const client& servers, std::string_view path);
    // Refuses a temporary client, which would close at the end of the statement.
    semaphore(client&&, std::string_view, permit_count = 1) = delete;
    ~semaphore();
    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;

    // Wait for one permit, or for `permits` permits at once under one guard. Errors: the errors of mutex::acquire(),
    // and
    // - `bad_option`: `permits` is out of range, or larger than the semaphore's number of permits. Or this object was
    //   constructed with a number of permits, and the servers store another number. The message has both numbers.
    // - `bad_path`: the servers store no number, and this object was constructed without a number. Or the data of the
    //   path's znode are not the data of a semaphore.
    result<guard> acquire(acquire_options options = {}) { return acquire(1, std::move(options)); }
    result<guard> acquire(permit_count permits, acquire_options options = {});
    // Take the permits if they are free and no contender waits; otherwise return `busy`. For details see
    // mutex::try_acquire().
    result<guard> try_acquire(acquire_options options = {}) {
        return try_acquire(1, std::move(options));
    }
    result<guard> try_acquire(permit_count permits, acquire_options options = {});
    // Like acquire(), but no thread waits. For details see mutex::async_acquire().
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler) {
        async_acquire(1, std::move(options), std::move(handler));
    }
    void async_acquire(permit_count permits, acquire_options options,
                       std::function<void(result<guard>)> handler);

    // Acquires with a timeout or a deadline in place of options: acquire(2s), acquire(5, 2s).
    template <waiting_time W>
    result<guard> acquire(const W& limit) {
        return acquire(1, acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> acquire(permit_count permits, const W& limit) {
        return acquire(permits, acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> try_acquire(const W& limit) {
        return try_acquire(1, acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> try_acquire(permit_count permits, const W& limit) {
        return try_acquire(permits, acquire_options{.timeout = limit});
    }

    // Like async_acquire() above, with a timeout or a deadline `limit` in place of options. Without `permits` the call
    // acquires one permit. `handler` runs once, with the hold or the error.
    template <waiting_time W>
    void async_acquire(const W& limit, std::function<void(result<guard>)> handler) {
        async_acquire(1, acquire_options{.timeout = limit}, std::move(handler));
    }
    template <waiting_time W>
    void async_acquire(permit_count permits, const W& limit,
                       std::function<void(result<guard>)> handler) {
        async_acquire(permits, acquire_options{.timeout = limit}, std::move(handler));
    }

    // Returns the stored number of permits. Errors: the errors of the queries, and `bad_path` as for acquire().
    [[nodiscard]] result<std::int32_t> limit(const query_options& options = {}) const;
    // Sets the number of permits for all clients, and creates the semaphore if there is none. A larger number wakes the
    // head of the queue. A smaller number takes no permit from a holder. Waiters that request more permits than the new
    // number get an error.
    //
    // Errors: the errors of the queries, `bad_option` (the number is out of range), `bad_path` (as for acquire()), and
    // `no_permission`. After `timeout`, `cancelled`, `interrupted` and `not_connected` the number may have been set, or
    // may be set later.
    result<void> set_limit(permit_count permits, const query_options& options = {});
    // Returns the number of permits that a call could get now: the permits that no contender holds or waits for.
    [[nodiscard]] result<std::int32_t> available(const query_options& options = {}) const;
    // limit(), set_limit() and available() also take a timeout or a deadline in place of options: set_limit(30, 2s).
    template <waiting_time W>
    [[nodiscard]] result<std::int32_t> limit(const W& longest) const {
        return limit({.timeout = longest});
    }
    template <waiting_time W>
    result<void> set_limit(permit_count permits, const W& limit) {
        return set_limit(permits, {.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::int32_t> available(const W& limit) const {
        return available({.timeout = limit});
    }

    // Queries. They neither take a permit nor change anything. Errors: the same as for the queries of mutex.
    //
    // Returns all contenders in their order.
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // Returns the holders whose permits fit into the semaphore's number of permits. If that number has shrunk, the
    // result leaves out holders that no longer fit, although they keep their permits until the release.
    [[nodiscard]] result<std::vector<contender>> holders(const query_options& options = {}) const;
    // Returns the number of contenders ahead of this guard's znode, or the error `removed` if the znode is not in the
    // queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

    // The queries also take a timeout or a deadline in place of options, as in queue(2s).
    template <waiting_time W>
    [[nodiscard]] result<std::vector<contender>> queue(const W& limit) const {
        return queue({.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::vector<contender>> holders(const W& limit) const {
        return holders({.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::size_t> position(const guard& hold, const W& limit) const {
        return position(hold, {.timeout = limit});
    }

private:
    class state;
    const detail::owned<state> state_;
};

// An adapter with the members of std::counting_semaphore, for generic code. It takes permits one by one, and returns no
// guards. Any thread may give permits back; release() gives back the permit that has been held longest. A lost permit
// counts as held until it is given back. Unlike a guard, this adapter does not report the loss of a permit.
//
// Thread safety: any thread may call any member. The semaphore must outlive the adapter.
class TURNSTILE_EXPORT counting_semaphore {
public:
    // Makes an adapter for the semaphore `of`, and takes no permit yet.
    explicit counting_semaphore(semaphore& of);
    // Gives back all permits that this object holds.
    ~counting_semaphore();
    counting_semaphore(const counting_semaphore&) = delete;
    counting_semaphore& operator=(const counting_semaphore&) = delete;

    // Returns the largest number of permits that a semaphore can have.
    [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept {
        return std::numeric_limits<std::int32_t>::max();
    }
    // Waits for a permit. Throws std::system_error, or boost::thread_interrupted.
    void acquire();
    // Tries to get a permit: once, until `timeout` has passed, or until the time point `time`. Returns false if no
    // permit became free in time, or if no server answered in time.
    [[nodiscard]] bool try_acquire();
    template <duration_like D>
    [[nodiscard]] bool try_acquire_for(const D& timeout) {
        return try_acquire_within(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    [[nodiscard]] bool try_acquire_until(const T& time) {
        return try_acquire_within(left_until(time));
    }
    // Gives back `update` permits, and returns at once; the client removes the znodes in the background. If this object
    // holds fewer permits, release() throws `not_owner` and gives nothing back. (std::counting_semaphore raises its
    // count instead.)
    void release(std::ptrdiff_t update = 1);
    // Returns the number of permits that this object holds, including lost permits.
    [[nodiscard]] std::size_t held() const;

private:
    bool try_acquire_within(boottime_clock::duration left);

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
