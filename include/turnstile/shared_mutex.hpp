// SPDX-License-Identifier: Apache-2.0
// shared_mutex: a fair lock between processes for readers, writers, and readers that may become writers.
//
// Use it for data that many processes read at the same time and one process changes. Any number of readers, or one
// writer, hold the lock. Waiters get it in the order in which they arrived at the servers.
//
//     turnstile::shared_mutex prices{servers, "/locks/prices"};
//     if (auto hold = prices.acquire_shared({.timeout = 2s})) show();
//     if (auto hold = prices.acquire_upgrade({.timeout = 2s})) {
//         if (out_of_date() && prices.upgrade(*hold, {.timeout = 2s})) refresh(hold->fencing_token());
//     }
//     if (std::shared_lock reading{prices, 2s}; reading) show();
//     const std::unique_lock writing{prices};
//
// | kind of hold    | other holds at the same time   | kinds that the hold may become                   |
// |-----------------|--------------------------------|--------------------------------------------------|
// | reader          | readers, one upgradable reader | none                                             |
// | upgradable      | readers                        | writer (upgrade), reader (downgrade)             |
// | writer          | none                           | upgradable, reader (downgrade)                   |
//
// Fairness. Of two waiters that exclude each other, the earlier waiter gets the lock first. So a writer does not wait
// for readers that arrive later. Exception: an upgrade overtakes waiting writers, because these writers wait for the
// upgradable hold, which becomes a writer's hold.
//
// Conversions leave no gap: no other client can hold the lock as a writer before the conversion is complete. Only one
// upgradable hold exists at a time, so two upgrades cannot wait for each other. An upgrade waits for the readers that
// hold the lock. So if the caller of an upgrade also holds the lock as a reader, the caller waits for itself.
//
// Fencing tokens. Of two holds that exclude each other, the later hold has the larger token. Tokens of readers that
// hold together are unordered. A conversion makes the guard's token larger.
//
// Protocol: Curator's InterProcessReadWriteLock (`_c_<uuid>-__READ__<n>`, `-__WRIT__<n>`). Curator's clients on the
// same path share the queue; they regard an upgradable reader as a reader, and an upgrade as a writer. How to use a
// shared_mutex: docs/how-to/shared-mutex.md. The protocol: docs/why/shared-mutex.md.
//
// Thread safety: any thread may call any member; one thread at a time uses a guard. Do not destroy a shared_mutex while
// a call on it is in progress. Asynchronous acquisitions, views and guards may outlive it.
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

// A view of a shared_mutex, whose acquire() takes the lock always as a reader, always as an upgradable reader, or
// always as a writer. A view has the interface of a mutex, for code that knows only acquire(). Thread safety: the same
// as shared_mutex's. A view may outlive its shared_mutex.
class TURNSTILE_EXPORT shared_mutex_view {
public:
    shared_mutex_view(const shared_mutex_view& other);
    shared_mutex_view(shared_mutex_view&&) noexcept;
    shared_mutex_view& operator=(const shared_mutex_view& other);
    shared_mutex_view& operator=(shared_mutex_view&&) noexcept;
    ~shared_mutex_view();

    // Returns the path of the lock.
    [[nodiscard]] const std::string& path() const noexcept;
    // Returns the kind of hold that the view acquires.
    [[nodiscard]] contender_kind kind() const noexcept;

    // These functions do the same as the functions of shared_mutex for the view's kind of hold, which kind() returns.
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

// A lock for readers and writers on one path.
class TURNSTILE_EXPORT shared_mutex : public lockable<shared_mutex>,
                                      public shared_lockable<shared_mutex>,
                                      public upgrade_lockable<shared_mutex> {
public:
    // Makes a lock for this path, and sends nothing. Throws std::system_error: `bad_path` (the message names the path
    // and the rule), or `closed` if `servers` was moved from.
    shared_mutex(const client& servers, std::string_view path);
    // Refuses a temporary client, which would close at the end of the statement.
    shared_mutex(client&&, std::string_view) = delete;
    // Releases the holds that lock(), lock_shared() and the other forms of the standard library have taken.
    ~shared_mutex();
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;

    // These functions also take a timeout or a deadline in place of options: acquire_shared(2s), see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;
    using shared_lockable::acquire_shared;
    using shared_lockable::try_acquire_shared;
    using upgrade_lockable::acquire_upgrade;
    using upgrade_lockable::try_acquire_upgrade;
    using upgrade_lockable::try_upgrade;
    using upgrade_lockable::upgrade;

    // Wait for the lock as a writer (acquire), a reader (acquire_shared) or an upgradable reader (acquire_upgrade).
    // Errors: the errors of mutex::acquire().
    result<guard> acquire(acquire_options options = {});
    result<guard> acquire_shared(acquire_options options = {});
    result<guard> acquire_upgrade(acquire_options options = {});
    // Take the lock if no contender that excludes the caller is ahead; otherwise return `busy`. For details see
    // mutex::try_acquire().
    result<guard> try_acquire(acquire_options options = {});
    result<guard> try_acquire_shared(acquire_options options = {});
    result<guard> try_acquire_upgrade(acquire_options options = {});
    // Like acquire(), but no thread waits. `handler` gets the hold or the error, as for mutex::async_acquire(). For
    // readers and upgradable readers use readers().async_acquire() and upgraders().async_acquire().
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Converts a hold to a weaker kind: a writer's hold to an upgradable reader's or a reader's hold, or an upgradable
    // reader's hold to a reader's hold. The guard keeps its callbacks, and its znode keeps its place in the queue under
    // a new name. Does nothing if the hold already has the requested kind.
    //
    // The calls wait for the servers' answer, but no longer than the lease. They are not interruption points. After an
    // error the hold is unchanged. Errors:
    // - `not_held`: the guard is empty. An error of guard::status(): the hold has ended.
    // - `no_permission`: an ACL forbids the change.
    // - `bad_option`: the guard belongs to a different lock; or the hold is a reader's hold, which cannot become
    //   upgradable.
    result<void> downgrade_to_upgradable(guard& hold);
    result<void> downgrade_to_shared(guard& hold);

    // Converts an upgradable reader's hold to a writer's hold. The call waits until the other readers have released the
    // lock; readers that arrive meanwhile wait behind the upgrade. Afterwards the guard `hold` owns two holds: the
    // upgradable reader's and the writer's. If one of them is lost, the guard is lost. The guard keeps its callbacks.
    // Does nothing if the guard already owns a writer's hold.
    //
    // The upgrade is a second acquisition, with `options`. After a loss both callbacks are called: the on_lost of these
    // options and the on_lost of the first acquisition. After an error the guard's hold is unchanged. Errors: the
    // errors of acquire(), and
    // - `bad_option`: the guard belongs to a different lock, or its hold is a reader's hold that is not upgradable.
    // - `too_many`: the upgrade has to use the session of the hold, and that session already owns as many znodes as is
    //   safe.
    result<void> upgrade(guard& hold, acquire_options options = {});
    // Like upgrade(), but returns `busy` if another reader holds the lock.
    result<void> try_upgrade(guard& hold, acquire_options options = {});
    // Like upgrade(), but no thread waits. `handler` gets the guard back, upgraded or unchanged. Throws `bad_option`
    // for an empty handler.
    void async_upgrade(guard hold, acquire_options options,
                       std::function<void(guard hold, result<void> outcome)> handler);

    // Return views that take the lock as a reader, an upgradable reader or a writer, for multi_lock and for code that
    // knows only acquire().
    [[nodiscard]] shared_mutex_view readers() const;
    [[nodiscard]] shared_mutex_view upgraders() const;
    [[nodiscard]] shared_mutex_view writers() const;

    // Queries. They neither take a lock nor change anything. Errors: the same as for the queries of mutex.
    //
    // Returns whether a contender holds the lock, as a reader or as a writer.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    // Returns all contenders in their order.
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // Returns all holders: one writer, or all readers that hold the lock. An upgraded hold appears as two contenders,
    // of the kinds `upgradable` and `upgrade`.
    [[nodiscard]] result<std::vector<contender>> holders(const query_options& options = {}) const;
    // Returns the number of contenders ahead of this guard's znode, or the error `removed` if the znode is not in the
    // queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

    // The queries also take a timeout or a deadline in place of options, as in queue(2s).
    template <waiting_time W>
    [[nodiscard]] result<bool> is_locked(const W& limit) const {
        return is_locked({.timeout = limit});
    }
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
