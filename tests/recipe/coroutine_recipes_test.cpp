// SPDX-License-Identifier: Apache-2.0
// Tests that every recipe with an asynchronous form can be awaited. A stop token and the coroutine's end cancel the
// wait, and only the executor resumes the coroutine.
#include <gtest/gtest.h>

#include <memory>

#include "recipe/coroutine_fixture.hpp"

namespace turnstile::tests {
namespace {

template <class L, class... Arguments>
concept awaited_by = requires(L& lock, Arguments&... arguments) {
    std::move(async_acquire(lock, arguments...)).operator co_await();
};
template <class L>
concept awaited_plainly = awaited_by<L, acquire_options, executor> && awaited_by<L, executor> &&
    !awaited_by<L, acquire_options, std::function<void(result<guard>)>>;

static_assert(awaited_plainly<mutex> && awaited_plainly<shared_mutex>);
static_assert(awaited_plainly<semaphore> && awaited_plainly<multi_lock>);
static_assert(awaited_plainly<quorum_lock> && awaited_plainly<const any_lock>);
static_assert(awaited_plainly<shared_mutex_view> && awaited_plainly<const shared_mutex_view>);
static_assert(!awaited_by<const mutex, executor>);
static_assert(!awaited_by<recursive_mutex, executor>);
static_assert(awaited_by<recursive_mutex, acquire_options, owner, executor>);

class awaited_recipes : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    loop_thread loop;
    const executor run = loop.run();
    const std::thread::id on_loop = thread_of(loop);
    const acquire_options patient{.timeout = limit()};

    // Runs a coroutine to its end, and passes its exception on.
    template <class Body>
    void finish(const Body& body) {
        const coroutine_task task = body();
        ASSERT_TRUE(task.wait());
        task.rethrow();
    }
    // Returns true if the coroutine was resumed on the loop's thread with a valid hold. A coroutine calls this after an
    // await.
    [[nodiscard]] bool is_right(const result<guard>& hold) const {
        return std::this_thread::get_id() == on_loop && hold && hold->valid();
    }
    template <class L>
    static bool becomes_length(const L& lock, std::size_t length) {
        return eventually([&] { return lock.queue().value().size() == length; });
    }
};

TEST_F(awaited_recipes, recursive_mutex) {
    turnstile::recursive_mutex lock{*servers, "/recursive"};
    const auto me = owner::make();
    finish([&]() -> coroutine_task {
        const auto outer = co_await async_acquire(lock, patient, me, run);
        EXPECT_TRUE(is_right(outer));
        const auto inner = co_await async_acquire(lock, limit(), me, run);
        EXPECT_TRUE(is_right(inner));
        EXPECT_EQ(lock.count(me), 2U);
        EXPECT_EQ(outer->fencing_token(), inner->fencing_token());
    });
    EXPECT_EQ(lock.count(me), 0U);
}

TEST_F(awaited_recipes, recursive_mutex_refuses_a_thread_as_the_owner) {
    turnstile::recursive_mutex lock{*servers, "/recursive"};
    const auto body = [&]() -> coroutine_task {
        static_cast<void>(co_await async_acquire(lock, patient, owner::calling_thread(), run));
    };
    const auto task = body();
    ASSERT_TRUE(task.finished());
    EXPECT_THROW(task.rethrow(), std::system_error);
}

TEST_F(awaited_recipes, shared_mutex_readers_share) {
    turnstile::shared_mutex lock{*servers, "/shared"};
    finish([&]() -> coroutine_task {
        const auto first = co_await async_acquire(lock.readers(), patient, run);
        EXPECT_TRUE(is_right(first));
        const auto second = co_await async_acquire(lock.readers(), run);
        EXPECT_TRUE(is_right(second));
        const auto third = co_await async_acquire(lock.upgraders(), run);
        EXPECT_TRUE(is_right(third));
        EXPECT_EQ(lock.holders().value().size(), 3U);
    });
}

TEST_F(awaited_recipes, shared_mutex_writers_exclude) {
    turnstile::shared_mutex lock{*servers, "/shared"};
    finish([&]() -> coroutine_task {
        const auto writer = co_await async_acquire(lock, patient, run);
        EXPECT_TRUE(is_right(writer));
        EXPECT_EQ(lock.try_acquire_shared().error(), errc::busy);
    });
}

TEST_F(awaited_recipes, views_of_a_shared_mutex) {
    turnstile::shared_mutex lock{*servers, "/shared"};
    const auto readers = lock.readers();
    finish([&]() -> coroutine_task {
        const auto hold = co_await async_acquire(readers, patient, run);
        EXPECT_TRUE(is_right(hold));
        EXPECT_TRUE(lock.try_acquire_shared().has_value());
    });
}

TEST_F(awaited_recipes, shared_mutex_upgrades) {
    turnstile::shared_mutex lock{*servers, "/shared"};
    auto reader = lock.acquire_shared(patient).value();
    event waits;
    const acquire_options told{.timeout = limit(), .on_queued = [&](std::size_t) { waits.set(); }};
    const auto body = [&]() -> coroutine_task {
        auto hold = co_await async_acquire(lock.upgraders(), limit(), run);
        EXPECT_TRUE(is_right(hold));
        const auto writer = co_await async_upgrade(lock, std::move(*hold), told, run);
        EXPECT_TRUE(writer.outcome);
        EXPECT_TRUE(writer.hold.valid());
        EXPECT_EQ(std::this_thread::get_id(), on_loop);
        EXPECT_EQ(lock.try_acquire_shared().error(), errc::busy);
    };
    const auto task = body();
    ASSERT_TRUE(waits.wait());
    EXPECT_FALSE(task.finished());
    reader.unlock();
    ASSERT_TRUE(task.wait());
    EXPECT_TRUE(becomes_length(lock, 0));
}

TEST_F(awaited_recipes, shared_mutex_gives_the_hold_back_that_could_not_be_upgraded) {
    turnstile::shared_mutex lock{*servers, "/shared"};
    const auto reader = lock.acquire_shared(patient).value();
    std::stop_source stop;
    const acquire_options stoppable{.stop = stop.get_token(),
                                    .on_queued = [&](std::size_t) { stop.request_stop(); }};
    finish([&]() -> coroutine_task {
        auto hold = co_await async_acquire(lock.upgraders(), limit(), run);
        EXPECT_TRUE(is_right(hold));
        const auto still = co_await async_upgrade(lock, std::move(*hold), stoppable, run);
        EXPECT_EQ(still.outcome.error(), errc::cancelled);
        EXPECT_TRUE(still.hold.valid());
    });
    EXPECT_TRUE(becomes_length(lock, 1));
}

TEST_F(awaited_recipes, shared_mutex_releases_the_hold_of_a_coroutine_that_ends_in_its_upgrade) {
    turnstile::shared_mutex lock{*servers, "/shared"};
    const auto reader = lock.acquire_shared(patient).value();
    event waits;
    const acquire_options told{.on_queued = [&](std::size_t) { waits.set(); }};
    const auto body = [&](guard hold) -> coroutine_task {
        static_cast<void>(co_await async_upgrade(lock, std::move(hold), told, run));
    };
    {
        const auto task = body(lock.acquire_upgrade(patient).value());
        ASSERT_TRUE(waits.wait());
    }
    EXPECT_TRUE(becomes_length(lock, 1));
}

TEST_F(awaited_recipes, semaphore) {
    turnstile::semaphore lock{*servers, "/semaphore", 3};
    finish([&]() -> coroutine_task {
        const auto hold = co_await async_acquire(lock, patient, run);
        EXPECT_TRUE(is_right(hold));
        const auto two = co_await async_acquire(lock, 2, patient, run);
        EXPECT_TRUE(is_right(two));
        EXPECT_EQ(lock.available().value(), 0);
    });
}

TEST_F(awaited_recipes, multi_lock) {
    mutex first{*servers, "/first"};
    turnstile::semaphore second{*servers, "/second", 1};
    turnstile::multi_lock both{first, second};
    finish([&]() -> coroutine_task {
        const auto hold = co_await async_acquire(both, patient, run);
        EXPECT_TRUE(is_right(hold));
        EXPECT_EQ(hold->fencing_tokens().size(), 2U);
    });
    EXPECT_TRUE(becomes_length(first, 0));
    EXPECT_TRUE(becomes_length(second, 0));
}

TEST_F(awaited_recipes, quorum_lock) {
    const client second{"local:" + fresh_tree()};
    const client third{"local:" + fresh_tree()};
    turnstile::quorum_lock lock{{{*servers, "a"}, {second, "b"}, {third, "c"}}, "/quorum"};
    finish([&]() -> coroutine_task {
        EXPECT_TRUE(is_right(co_await async_acquire(lock, patient, run)));
        EXPECT_TRUE(is_right(co_await async_acquire(lock, run)));
    });
}

TEST_F(awaited_recipes, any_lock) {
    mutex lock{*servers, "/any"};
    const turnstile::any_lock any{lock};
    finish([&]() -> coroutine_task {
        EXPECT_TRUE(is_right(co_await async_acquire(any, patient, run)));
    });
}

// Checks that the stop token ends each wait, and that the end of the coroutine ends each wait.
template <class L, class Await>
void ends_early(const L& lock, guard holder, loop_thread& loop, const Await& await) {
    const auto length = [&](std::size_t expected) {
        return eventually([&] { return lock.queue().value().size() == expected; });
    };
    const auto before = lock.queue().value().size();
    std::stop_source stop;
    std::optional<error> refusal;
    const acquire_options stoppable{.stop = stop.get_token()};
    const auto body = [&]() -> coroutine_task {
        const auto hold = co_await await(stoppable);
        if (!hold) refusal = hold.error();
    };
    {
        const auto task = body();
        ASSERT_TRUE(length(before + 1));
        stop.request_stop();
        ASSERT_TRUE(task.wait());
        EXPECT_EQ(refusal.value(), errc::cancelled);
        EXPECT_TRUE(length(before));
    }
    const acquire_options patient{};
    const auto forever = [&]() -> coroutine_task { static_cast<void>(co_await await(patient)); };
    {
        auto task = forever();
        ASSERT_TRUE(length(before + 1));
        task.destroy();
    }
    EXPECT_TRUE(length(before));
    thread_of(loop);  // after this none of the coroutine's code runs
    holder.unlock();
}

TEST_F(awaited_recipes, recursive_mutex_ends_early) {
    turnstile::recursive_mutex lock{*servers, "/lock"};
    ends_early(
        lock, lock.acquire(patient, owner::make()).value(), loop,
        [&](const acquire_options& how) { return async_acquire(lock, how, owner::make(), run); });
}

TEST_F(awaited_recipes, shared_mutex_ends_early) {
    turnstile::shared_mutex lock{*servers, "/lock"};
    ends_early(lock, lock.acquire(patient).value(), loop,
               [&](const acquire_options& how) { return async_acquire(lock.readers(), how, run); });
    ends_early(lock, lock.acquire(patient).value(), loop, [&](const acquire_options& how) {
        return async_acquire(lock.upgraders(), how, run);
    });
    ends_early(lock, lock.acquire_shared(patient).value(), loop,
               [&](const acquire_options& how) { return async_acquire(lock, how, run); });
}

TEST_F(awaited_recipes, semaphore_ends_early) {
    turnstile::semaphore lock{*servers, "/lock", 2};
    ends_early(lock, lock.acquire(1, patient).value(), loop,
               [&](const acquire_options& how) { return async_acquire(lock, 2, how, run); });
}

TEST_F(awaited_recipes, multi_lock_ends_early) {
    mutex first{*servers, "/first"};
    mutex second{*servers, "/second"};
    turnstile::multi_lock both{first, second};
    // ends_early() gets a hold of the second lock. So each coroutine takes the first lock, and then waits for the
    // second lock.
    ends_early(first, second.acquire(patient).value(), loop,
               [&](const acquire_options& how) { return async_acquire(both, how, run); });
}

}  // namespace
}  // namespace turnstile::tests
