// SPDX-License-Identifier: Apache-2.0
// any_lock: a lock of any kind, as a part of a multi_lock.
//
// An any_lock accepts every type that has path(), acquire(), try_acquire() and async_acquire() with the signatures of
// `mutex`: the library's locks, the views of a shared_mutex, and lock types of your program. It either refers to the
// lock, or shares ownership of it. If it refers to the lock, the lock must outlive the any_lock and every acquisition
// through it.
//
//     turnstile::any_lock first{orders};                           // refers
//     turnstile::any_lock second{std::make_shared<turnstile::mutex>(servers, "/locks/stock")};
//     turnstile::any_lock third{stock, "stock of the east"};       // with a name for fencing vectors
//
// Thread safety: any thread may call const members, if the lock's functions allow calls from any thread.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/export.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class any_lock;
class mutex;
class shared_mutex;
class shared_mutex_view;

namespace detail {

class queue_lock;

// Finds the queue of a mutex, or of a shared_mutex taken as a writer. For any other lock the function of() returns a
// null pointer. A multi_lock may try several locks at once if of() returns a queue for each of these locks.
class TURNSTILE_EXPORT exclusive_queue {
public:
    [[nodiscard]] static const queue_lock* of(const mutex& lock) noexcept;
    [[nodiscard]] static const queue_lock* of(const shared_mutex& lock) noexcept;
    [[nodiscard]] static const queue_lock* of(const shared_mutex_view& lock) noexcept;
    [[nodiscard]] static const queue_lock* of(const any_lock& lock) noexcept;
};

// True for the types that exclusive_queue knows. False for types derived from them, which may acquire in another way.
template <class L>
inline constexpr bool k_has_exclusive_queue =
    std::same_as<L, mutex> || std::same_as<L, shared_mutex> || std::same_as<L, shared_mutex_view>;

}  // namespace detail

// A lock with the four members path(), acquire(), try_acquire() and async_acquire().
template <class L>
concept composable_lock = requires(L& lock, acquire_options options,
                                   std::function<void(result<guard>)> handler) {
    { lock.path() } -> std::convertible_to<std::string>;
    { lock.acquire(options) } -> std::same_as<result<guard>>;
    { lock.try_acquire(options) } -> std::same_as<result<guard>>;
    lock.async_acquire(options, handler);
};

// Refers to a lock of any kind, or shares ownership of the lock.
class any_lock {
public:
    // A function that receives the hold or the error.
    using handler = std::function<void(result<guard>)>;

    // Refers to `lock`. `name` is the name of the lock's token in a fencing_vector, and must be the same in every
    // process. Empty: the lock's resource(), or its path if it has no resource().
    template <composable_lock L>
    requires(!std::same_as<std::remove_const_t<L>, any_lock>)
        any_lock(L& lock,
                 std::string name = {})  // NOLINT: reads as `multi_lock both{orders, stock}`
        : any_lock{new holder<L*>{&lock}, std::move(name)} {}
    // Shares ownership of a lock, with a std::shared_ptr or a similar pointer. `name` is the name of the lock's token
    // in a fencing_vector. Empty: the lock's resource(), or its path if it has no resource().
    template <class P>
    requires(composable_lock<typename P::element_type>)
        any_lock(P lock, std::string name = {})  // NOLINT
        : any_lock{new holder<P>{std::move(lock)}, std::move(name)} {}

    // A copy refers to the same lock.
    any_lock(const any_lock& other)
        : lock_{other.lock_->copy()},
          path_{other.path_},
          resource_{other.resource_},
          name_{other.name_} {}
    any_lock(any_lock&&) noexcept = default;
    // Refers to the lock of `other` from now on.
    any_lock& operator=(const any_lock& other) { return *this = any_lock{other}; }
    any_lock& operator=(any_lock&&) noexcept = default;
    ~any_lock() = default;

    // Returns the lock's path.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // Returns the lock's resource(): the servers, and the path from the servers' root. If the lock has no resource(),
    // returns the path.
    [[nodiscard]] const std::string& resource() const noexcept { return resource_; }
    // Returns the name of the lock's token in a fencing_vector.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    // Each of these functions calls the lock's function of the same name.
    result<guard> acquire(acquire_options options = {}) const {
        return lock_->acquire(std::move(options));
    }
    result<guard> try_acquire(acquire_options options = {}) const {
        return lock_->try_acquire(std::move(options));
    }
    void async_acquire(acquire_options options, handler done) const {
        lock_->async_acquire(std::move(options), std::move(done));
    }
    // Acquires with a timeout or a deadline in place of options: acquire(2s).
    template <waiting_time W>
    result<guard> acquire(const W& limit) const {
        return acquire(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    result<guard> try_acquire(const W& limit) const {
        return try_acquire(acquire_options{.timeout = limit});
    }
    template <waiting_time W>
    void async_acquire(const W& limit, handler done) const {
        async_acquire(acquire_options{.timeout = limit}, std::move(done));
    }

private:
    friend class detail::exclusive_queue;

    class held {
    public:
        held() = default;
        held(const held&) = delete;
        held& operator=(const held&) = delete;
        virtual ~held() = default;
        [[nodiscard]] virtual held* copy() const = 0;
        [[nodiscard]] virtual std::string path() const = 0;
        [[nodiscard]] virtual std::string resource() const = 0;
        virtual result<guard> acquire(acquire_options options) const = 0;
        virtual result<guard> try_acquire(acquire_options options) const = 0;
        virtual void async_acquire(acquire_options options, handler done) const = 0;
        [[nodiscard]] virtual const detail::queue_lock* exclusive_queue() const noexcept = 0;
    };

    // `P` is a pointer type: a plain pointer to the lock, or a smart pointer that shares ownership of the lock.
    template <class P>
    class holder final : public held {
    public:
        explicit holder(P lock) : lock_{std::move(lock)} {}
        [[nodiscard]] held* copy() const override { return new holder{lock_}; }
        [[nodiscard]] std::string path() const override { return lock_->path(); }
        [[nodiscard]] std::string resource() const override {
            if constexpr (requires(const P& lock) {
                              { lock->resource() } -> std::convertible_to<std::string>;
                          }) {
                return lock_->resource();
            } else {
                return lock_->path();
            }
        }
        result<guard> acquire(acquire_options options) const override {
            return lock_->acquire(std::move(options));
        }
        result<guard> try_acquire(acquire_options options) const override {
            return lock_->try_acquire(std::move(options));
        }
        void async_acquire(acquire_options options, handler done) const override {
            lock_->async_acquire(std::move(options), std::move(done));
        }
        [[nodiscard]] const detail::queue_lock* exclusive_queue() const noexcept override {
            if constexpr (detail::k_has_exclusive_queue<std::remove_cvref_t<decltype(*lock_)>>) {
                return detail::exclusive_queue::of(*lock_);
            } else {
                return nullptr;
            }
        }

    private:
        P lock_;
    };

    any_lock(held* lock, std::string name)
        : lock_{lock},
          path_{lock_->path()},
          resource_{lock_->resource()},
          name_{name.empty() ? resource_ : std::move(name)} {}

    detail::owned<held> lock_;
    std::string path_;
    std::string resource_;
    std::string name_;
};

}  // namespace turnstile
