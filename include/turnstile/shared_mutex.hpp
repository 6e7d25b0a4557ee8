// SPDX-License-Identifier: Apache-2.0
// shared_mutex: a fair lock between processes with readers, writers, and readers that may become writers.
//
// Purpose: any number of readers at once, or one writer, granted in the order of arrival.
//
//     turnstile::shared_mutex prices{servers, "/locks/prices"};
//     if (auto hold = prices.acquire_shared({.timeout = 2s})) show();
//     if (auto hold = prices.acquire_upgrade({.timeout = 2s})) {
//         if (out_of_date() && prices.upgrade(*hold, {.timeout = 2s})) refresh(hold->fencing_token());
//     }
//     if (std::shared_lock reading{prices, 2s}; reading) show();
//     const std::unique_lock writing{prices};
//
// | holds           | together with                  | may become                                       |
// |-----------------|--------------------------------|--------------------------------------------------|
// | reader          | readers, one upgradable reader | nothing else                                     |
// | upgradable      | readers                        | writer (upgrade), reader (downgrade)             |
// | writer          | none                           | upgradable, reader (downgrade)                   |
//
// Fair: a waiter is granted before those that came later and exclude it. A waiting writer is not
// starved by readers; readers that came before it share. The one exception is named: an upgrade passes
// the writers that wait, since they wait for the upgradable hold that becomes a writer's.
//
// Each conversion is made without a gap: no other client can hold the lock as a writer in between. There
// is one upgradable hold at a time, so two upgrades cannot wait for each other. An upgrade waits for the
// readers that hold: a caller that holds the lock as a reader as well waits for itself.
//
// Fencing tokens: of two holds that exclude each other the later has the larger token; readers that
// hold together are not ordered. A conversion makes the guard's token larger.
//
// Protocol: Curator's InterProcessReadWriteLock (`_c_<uuid>-__READ__<n>`, `-__WRIT__<n>`), which on the same
// path takes part in the same queue and takes an upgradable reader for a reader, an upgrade for a writer.
// How to use it: docs/how-to/shared-mutex.md. Each step with what happens when it goes wrong:
// docs/why/shared-mutex.md.
//
// Thread safety: all members from any thread, a guard by one at a time. A shared_mutex must not be
// destroyed while a call on it is under way; asynchronous acquisitions, views and guards may outlive it.
#pragma once

#include <functional>
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

namespace detail {
class exclusive_queue;
}  // namespace detail

// A shared_mutex as code sees it that knows one way to take a lock: acquire(). Thread safety: as
// shared_mutex; it may outlive it.
class TURNSTILE_EXPORT shared_mutex_view {
public:
    shared_mutex_view(const shared_mutex_view& other);
    shared_mutex_view(shared_mutex_view&&) noexcept;
    shared_mutex_view& operator=(const shared_mutex_view& other);
    shared_mutex_view& operator=(shared_mutex_view&&) noexcept;
    ~shared_mutex_view();

    [[nodiscard]] const std::string& path() const noexcept;
    [[nodiscard]] contender_kind kind() const noexcept;

    // As the members of shared_mutex for this kind.
    result<guard> acquire(acquire_options options = {}) const;
    result<guard> try_acquire(acquire_options options = {}) const;
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler) const;
    template <waiting_time W>
    result<guard> acquire(const W& limit) const {
        return acquire(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> try_acquire(const W& limit) const {
        return try_acquire(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    void async_acquire(const W& limit, std::function<void(result<guard>)> handler) const {
        async_acquire(acquire_options{.timeout = limit}, std::move(handler));
    }

private:
    friend class shared_mutex;
    friend class detail::exclusive_queue;
    class state;
    explicit shared_mutex_view(state* state) noexcept;

    detail::owned<state> state_;
};

class TURNSTILE_EXPORT shared_mutex : public lockable<shared_mutex>,
                                      public shared_lockable<shared_mutex>,
                                      public upgrade_lockable<shared_mutex> {
public:
    // Throws std::system_error: bad_path, the message naming the path and the rule; closed, for a client
    // that was moved from. Sends nothing.
    shared_mutex(const client& servers, std::string_view path);
    // Gives up what the standard forms hold.
    ~shared_mutex();
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // These also with a time-out or deadline alone, acquire_shared(2s): lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;
    using shared_lockable::acquire_shared;
    using shared_lockable::try_acquire_shared;
    using upgrade_lockable::acquire_upgrade;
    using upgrade_lockable::try_acquire_upgrade;
    using upgrade_lockable::try_upgrade;
    using upgrade_lockable::upgrade;

    // Wait for the lock: as a writer, as a reader, as an upgradable reader. Errors as mutex::acquire().
    result<guard> acquire(acquire_options options = {});
    result<guard> acquire_shared(acquire_options options = {});
    result<guard> acquire_upgrade(acquire_options options = {});
    // The same if no contender that excludes it is ahead, else `busy`. As mutex::try_acquire().
    result<guard> try_acquire(acquire_options options = {});
    result<guard> try_acquire_shared(acquire_options options = {});
    result<guard> try_acquire_upgrade(acquire_options options = {});
    // As a writer; no thread waits. As mutex::async_acquire(). The other kinds: readers().async_acquire() ...
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Writer to upgradable reader or reader, upgradable reader to reader. The guard stays the same hold: what
    // was registered with it goes on, its znode keeps its place under a new name. Waits for the servers'
    // answer, no longer than the lease; no interruption point. Nothing is done if the hold is that already.
    // Errors: not_held; what status() says of a hold that is over; no_permission; bad_option: the guard is
    // of something else, or a reader's that cannot become upgradable. The hold is as it was then.
    result<void> downgrade_to_upgradable(guard& hold);
    result<void> downgrade_to_shared(guard& hold);

    // Upgradable reader to writer: waits until the other readers have gone; those that come meanwhile
    // wait. The guard becomes one over both; its loss is the loss of both, and what was registered
    // with it stays. On an error it holds what it held: all of acquire()'s, and
    //   bad_option   the guard is of something else, or a plain reader's
    //   too_many     the session of the hold, in which this has to be, owns as many znodes as is safe
    // A writer's guard stays as it is. The options are those of a further acquisition; its on_lost is told
    // beside that of the first.
    result<void> upgrade(guard& hold, acquire_options options = {});
    // The same if no reader is in the way, else `busy`.
    result<void> try_upgrade(guard& hold, acquire_options options = {});
    // No thread waits. `handler` gets the guard back, upgraded or as it was. Throws bad_option if empty.
    void async_upgrade(guard hold, acquire_options options,
                       std::function<void(guard hold, result<void> outcome)> handler);

    // For multi_lock and other code that knows one way to take a lock.
    [[nodiscard]] shared_mutex_view readers() const;
    [[nodiscard]] shared_mutex_view upgraders() const;
    [[nodiscard]] shared_mutex_view writers() const;

    // Queries; no lock needed, nothing changed. Errors as mutex's.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // All that hold: a writer, or readers. An upgraded hold is two contenders: upgradable, and upgrade.
    [[nodiscard]] result<std::vector<contender>> holders(const query_options& options = {}) const;
    // How many contenders came before this guard's znode; `removed` when it is not in the queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

private:
    friend lockable<shared_mutex>;
    friend shared_lockable<shared_mutex>;
    friend upgrade_lockable<shared_mutex>;
    friend class detail::exclusive_queue;
    void take(contender_kind kind = contender_kind::writer);
    bool try_take(boottime_clock::duration left, contender_kind kind = contender_kind::writer);
    void give_back(contender_kind kind = contender_kind::writer);
    [[nodiscard]] const guard* own() const noexcept;
    void convert(contender_kind from, contender_kind to);
    bool try_convert_up(boottime_clock::duration left);

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
