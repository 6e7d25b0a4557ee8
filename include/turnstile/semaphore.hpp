// SPDX-License-Identifier: Apache-2.0
// semaphore: a fair, counting lock between processes: at most n permits are out at any instant.
//
// Purpose: so many at once, and no more, granted in the order of arrival.
//
//     turnstile::semaphore connections{servers, "/semaphores/database", 20};
//     if (auto permit = connections.acquire({.timeout = 2s})) query();
//     if (auto several = connections.acquire(5, {.timeout = 2s})) query_in_bulk();
//     connections.set_limit(30).value();
//
// A permit, or several at once, is held by a guard: it belongs to no thread, may be moved to another, is lost with
// its session, and is given back when the guard goes. std::counting_semaphore's acquire() and release() have no place
// for that, so the standard forms are not here; `counting_semaphore` below has them.
//
// How many permits there are is stored at the servers, in the data of the path: by the first
// acquisition of an object that says a number. Each further object that says another one gets an error
// that names both, at its first acquisition; after that, set_limit() by any client changes what holds for
// all, and disturbs no holder. An object that says no number takes what is stored.
//
// First come, first served: a large request at the head of the queue lets no small one pass it, so that
// it is not starved. Only the head watches the holds; a hold that ends wakes the head, and
// those behind it one after the other, as far as there is room.
//
// Never overbooked: a hold that ended at the servers had been invalid here before (see guard). When the
// limit shrinks, no holder loses a permit; there is room again when enough of them were given back.
//
// Protocol: ephemeral sequential znodes `_c_<uuid>-lease-<n>`, or `-lease<k>-<n>` for k permits. Neither
// Curator's semaphores nor kazoo's can share a path with it: they work in other ways.
// How to use it: docs/how-to/semaphore.md. Each step with what happens when it goes wrong: docs/why/semaphore.md.
//
// Thread safety: all members from any thread. A semaphore must not be destroyed while a call on it is
// under way; asynchronous acquisitions and guards may outlive it.
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

class TURNSTILE_EXPORT semaphore {
public:
    // Of `permits` permits, or of as many as there are. Throws std::system_error: bad_path and bad_option (out
    // of permit_count's range), the message naming the value and the rule; closed, for a client that was
    // moved from. Sends nothing.
    semaphore(const client& servers, std::string_view path, permit_count permits);
    semaphore(const client& servers, std::string_view path);
    ~semaphore();
    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // Wait for a permit, or for several at once, under one guard. Errors as mutex::acquire(), and
    //   bad_option   `permits` is out of range, or more than there are; or there are not as many as this
    //                object says. The message has the numbers.
    //   bad_path     there is no semaphore, and this object says no number; or the data of the path
    //                is not one
    result<guard> acquire(acquire_options options = {}) { return acquire(1, std::move(options)); }
    result<guard> acquire(permit_count permits, acquire_options options = {});
    // The same if there is room and no contender waits, else `busy`. As mutex::try_acquire().
    result<guard> try_acquire(acquire_options options = {}) {
        return try_acquire(1, std::move(options));
    }
    result<guard> try_acquire(permit_count permits, acquire_options options = {});
    // No thread waits. As mutex::async_acquire().
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler) {
        async_acquire(1, std::move(options), std::move(handler));
    }
    void async_acquire(permit_count permits, acquire_options options,
                       std::function<void(result<guard>)> handler);

    // With a time-out or deadline alone: acquire(2s), acquire(5, 2s).
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

    template <waiting_time W>
    void async_acquire(const W& limit, std::function<void(result<guard>)> handler) {
        async_acquire(1, acquire_options{.timeout = limit}, std::move(handler));
    }
    template <waiting_time W>
    void async_acquire(permit_count permits, const W& limit,
                       std::function<void(result<guard>)> handler) {
        async_acquire(permits, acquire_options{.timeout = limit}, std::move(handler));
    }

    // How many permits there are. Errors as the queries', and bad_path as above.
    [[nodiscard]] result<std::int32_t> limit(const query_options& options = {}) const;
    // Sets it, for all clients; makes the semaphore if there is none. More wakes the head of the queue;
    // fewer takes no permit away, and refuses those that wait for more than there are from now on.
    // Errors as the queries', and bad_option (out of range), bad_path (as above), no_permission. After
    // timeout, cancelled, interrupted, and not_connected it may have been set, or be set yet.
    result<void> set_limit(permit_count permits, const query_options& options = {});
    // How many a call could have at once now: what no contender has or waits for.
    [[nodiscard]] result<std::int32_t> available(const query_options& options = {}) const;

    // Queries; no permit needed, nothing changed. Errors as mutex's.
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // All whose permits fit into the limit. After it has shrunk, holders from before that do not fit any
    // more are not among them, although they hold until they give back.
    [[nodiscard]] result<std::vector<contender>> holders(const query_options& options = {}) const;
    // How many contenders came before this guard's znode; `removed` when it is not in the queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

private:
    class state;
    const detail::owned<state> state_;
};

// The members of std::counting_semaphore on a semaphore: permits without guards, one by one, given back by
// whatever thread, the longest held first. A permit that was lost counts as held until it is given
// back. For generic code; a guard tells when it is lost, this does not. Thread safety: all members from any
// thread; the semaphore has to live longer.
class TURNSTILE_EXPORT counting_semaphore {
public:
    explicit counting_semaphore(semaphore& of);
    // Gives back what is held.
    ~counting_semaphore();
    counting_semaphore(const counting_semaphore&) = delete;
    counting_semaphore& operator=(const counting_semaphore&) = delete;

    [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept {
        return std::numeric_limits<std::int32_t>::max();
    }
    // Throws std::system_error, or boost::thread_interrupted.
    void acquire();
    // False: no permit, or no server, in time.
    [[nodiscard]] bool try_acquire();
    template <duration_like D>
    [[nodiscard]] bool try_acquire_for(const D& timeout) {
        return try_acquire_within(to_nanoseconds(timeout));
    }
    template <time_point_like T>
    [[nodiscard]] bool try_acquire_until(const T& time) {
        return try_acquire_within(left_until(time));
    }
    // Gives back so many. Unlike std's, which may also raise the count: throws not_owner, and gives nothing
    // back, if this object holds fewer. Returns at once; the znodes are removed in the background.
    void release(std::ptrdiff_t update = 1);
    [[nodiscard]] std::size_t held() const;

private:
    bool try_acquire_within(boottime_clock::duration left);

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
