// SPDX-License-Identifier: Apache-2.0
// Tests clients that share a runtime's threads. A runtime for a thousand clients must have at most 32 threads of each
// kind, and the clients must not wait for each other.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include <pthread.h>

#include "support.hpp"

namespace turnstile::tests {
namespace {

// Counts this process's threads by name.
std::map<std::string, int> threads() {
    std::map<std::string, int> found;
    std::error_code gone;  // set if a thread ends meanwhile
    for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task", gone}) {
        std::string name;
        if (std::getline(std::ifstream{task.path() / "comm"}, name)) ++found[name];
    }
    return found;
}

int threads_of(const std::string& prefix) {
    int count = 0;
    for (const auto& [name, number] : threads())
        if (name.starts_with(prefix)) count += number;
    return count;
}

class runtime_test : public shell_test {
protected:
    runtime shared = runtime::start({.name = "shared"});

    std::unique_ptr<client> connect_shared(client_options options = {}) const {
        options.runtime = shared;
        return connect(std::move(options));
    }
};

TEST_F(runtime_test, a_thousand_clients_have_a_few_threads) {
    constexpr int k_clients = 1000;
    constexpr int k_most_of_a_kind = 32;
    const auto before = threads_of("") - threads_of("shared-");
    std::vector<std::unique_ptr<client>> all;
    event granted;
    for (int i = 0; i != k_clients; ++i) all.push_back(connect_shared());
    for (int i = 0; i != k_clients; ++i) {
        mutex lock{*all[static_cast<std::size_t>(i)], "/lock" + std::to_string(i % 10)};
        lock.async_acquire({}, [&](const result<guard>& hold) {
            EXPECT_TRUE(hold);
            granted.set();
        });
    }
    ASSERT_TRUE(granted.wait(k_clients));
    EXPECT_EQ(threads_of("shared-timer"), 1);
    EXPECT_LE(threads_of("shared-call"), k_most_of_a_kind);
    EXPECT_LE(threads_of("shared-work"), k_most_of_a_kind);
    EXPECT_LE(threads_of("shared-loss"), k_most_of_a_kind);
    EXPECT_LE(threads_of("") - threads_of("shared-") - before, 2)
        << "of the tree, and of the log: none of a client";
    all.clear();
    EXPECT_EQ(threads_of("shared-timer"), 1);
    shared = {};
    // The system lists a thread for a moment after it was joined.
    EXPECT_TRUE(eventually([] { return threads_of("shared-") == 0; }))
        << "with the last client and the last handle";
}

TEST_F(runtime_test, threads_of_a_client_without_one_have_names_too) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    for (const char* name : {"turnstile-timer", "turnstile-call", "turnstile-work",
                             "turnstile-loss", "turnstile-local"})
        EXPECT_TRUE(eventually([name] { return threads().contains(name); })) << name;
}

// While a callback of one client blocks, the other client must get its timeouts, losses and callbacks, and must be able
// to close.
TEST_F(runtime_test, a_callback_that_blocks_holds_up_no_other_client) {
    for (const unsigned most : {1U, 32U}) {
        shared = runtime::start({.threads = most});
        auto first = connect_shared();
        auto second = connect_shared();
        event begun;
        event go;
        mutex blocking{*first, "/blocking"};
        blocking.async_acquire({}, [&](const result<guard>&) {
            begun.set();
            EXPECT_TRUE(go.wait());
        });
        auto doomed = mutex{*first, "/doomed"}.acquire({.timeout = limit()}).value();
        const std::stop_callback blocks{doomed.lost(), [&] {
                                            begun.set();
                                            EXPECT_TRUE(go.wait());
                                        }};
        faults.expire(first->session().id);
        ASSERT_TRUE(begun.wait(2));

        event told;
        auto hold = mutex{*second, "/lock"}.acquire({.timeout = limit()}).value();
        hold.on_lost([&](const error&) { told.set(); });
        const std::stop_callback on_lost{hold.lost(), [&] { told.set(); }};
        mutex taken{*second, "/lock"};
        EXPECT_EQ(taken.acquire({.timeout = std::chrono::milliseconds{1}}).error(), errc::timeout);
        faults.expire(second->session().id);
        EXPECT_TRUE(told.wait(2));
        second->close();
        go.set();
    }
}

TEST_F(runtime_test, a_callback_closes_another_client_and_its_own) {
    auto first = connect_shared();
    auto second = connect_shared();
    event done;
    mutex lock{*first, "/lock"};
    mutex other{*second, "/other"};
    auto hold = other.acquire({.timeout = limit()}).value();
    hold.on_lost([&](const error& why) {
        EXPECT_EQ(why, errc::closed);
        done.set();
    });
    lock.async_acquire({}, [&](const result<guard>&) {
        second->close();
        first->close();
        done.set();
    });
    EXPECT_TRUE(done.wait(2));
    first.reset();
    second.reset();
}

// A callback on one of the runtime's threads drops the last reference to the runtime.
TEST_F(runtime_test, the_last_client_ends_in_a_callback) {
    struct last_of_all {
        std::optional<client> servers;
        std::optional<mutex> lock;
        std::optional<guard> hold;
    };
    for (const bool in_a_stop_callback : {false, true}) {
        last_of_all last;
        last.servers.emplace(where, client_options{.runtime = runtime::start({.name = "last"})});
        last.lock.emplace(*last.servers, "/lock");
        last.hold.emplace(last.lock->acquire({.timeout = limit()}).value());
        event done;
        const auto end_all = [&] {
            last.hold.reset();
            last.lock.reset();
            last.servers.reset();
            done.set();
        };
        std::optional<std::stop_callback<std::function<void()>>> on_lost;
        if (in_a_stop_callback) {
            on_lost.emplace(last.hold->lost(), end_all);
        } else {
            last.hold->on_lost([&](const error&) { end_all(); });
        }
        faults.expire(last.servers->session().id);
        EXPECT_TRUE(done.wait());
        on_lost.reset();
        EXPECT_TRUE(eventually([] { return threads_of("last-") == 0; }));
    }
}

TEST_F(runtime_test, clients_have_executors_of_their_own) {
    loop_thread loop;
    std::thread::id ran_on;
    {
        auto first = connect_shared({.callbacks = loop.run()});
        auto second = connect_shared({.callbacks = throwing_executor()});
        event done;
        mutex lock{*first, "/lock"};
        lock.async_acquire({}, [&](const result<guard>&) {
            ran_on = std::this_thread::get_id();
            done.set();
        });
        mutex other{*second, "/other"};
        other.async_acquire({}, [&](const result<guard>&) { done.set(); });
        EXPECT_TRUE(done.wait(2));
    }
    EXPECT_EQ(ran_on, loop.id());
}

// Says whether the calling thread blocks SIGUSR1, and whether it blocks SIGUSR2.
struct blocked_signals {
    bool usr1 = false;
    bool usr2 = false;
    friend bool operator==(const blocked_signals&, const blocked_signals&) = default;
};

blocked_signals blocked_here() {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return {::sigismember(&mask, SIGUSR1) == 1, ::sigismember(&mask, SIGUSR2) == 1};
}

void change_usr1(int how) {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ::pthread_sigmask(how, &blocked, nullptr);
}

TEST_F(runtime_test, user_code_has_the_signal_mask_of_the_thread_that_made_the_runtime) {
    std::mutex mutual;
    std::map<thread_duty, blocked_signals> found;
    change_usr1(SIG_BLOCK);
    shared = runtime::start(
        {.around = [&](const runtime_thread& thread, const std::function<void()>& work) {
            {
                const std::lock_guard hold{mutual};
                found[thread.duty] = blocked_here();
            }
            work();
        }});
    change_usr1(SIG_UNBLOCK);
    auto servers = connect_shared();
    event done;
    blocked_signals in_a_handler;
    mutex{*servers, "/lock"}.async_acquire({}, [&](const result<guard>&) {
        in_a_handler = blocked_here();
        done.set();
    });
    EXPECT_TRUE(done.wait());
    constexpr blocked_signals k_of_the_maker{.usr1 = true, .usr2 = false};
    constexpr blocked_signals k_all{.usr1 = true, .usr2 = true};
    EXPECT_EQ(in_a_handler, k_of_the_maker);
    const auto all_have_begun = [&] {
        const std::lock_guard hold{mutual};
        return found.size() == 4;
    };
    EXPECT_TRUE(eventually(all_have_begun));
    servers.reset();
    shared = {};
    const std::lock_guard hold{mutual};
    EXPECT_EQ(found[thread_duty::timers], k_all);
    for (const auto duty : {thread_duty::callbacks, thread_duty::work, thread_duty::loss_callbacks})
        EXPECT_EQ(found[duty], k_of_the_maker) << static_cast<int>(duty);
}

TEST_F(runtime_test, is_refused_in_a_forked_child_which_makes_its_own) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads start threads";
#endif
    auto servers = connect_shared();
    const pid_t child = ::fork();
    if (child == 0) {
        bool right = false;
        try {
            const client refused{where + "-child", {.runtime = shared}};
        } catch (const std::system_error& failure) {
            right = failure.code() == errc::forked;
        }
        shared = {};  // the parent's objects, which the child does not use
        shared = runtime::start();
        {
            const client own{where + "-child", {.runtime = shared}};
            mutex lock{own, "/lock"};
            right = right && lock.acquire({.timeout = limit()}).has_value();
        }
        shared = {};
        ::_exit(right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(runtime_test, bad_options_are_refused_by_name) {
    const auto says = [](const runtime_options& options, const std::string& text) {
        try {
            static_cast<void>(runtime::start(options));
        } catch (const std::system_error& failure) {
            EXPECT_EQ(failure.code(), errc::bad_option);
            EXPECT_NE(std::string{failure.what()}.find(text), std::string::npos) << failure.what();
            return;
        }
        ADD_FAILURE() << text;
    };
    says({.name = ""}, "'' has 0 bytes");
    says({.name = "ten_bytes_"}, "'ten_bytes_' has 10 bytes, and must have 1 to 9");
    says({.name = std::string{"a\0b", 3}}, "zero byte");
    says({.threads = 0}, "threads 0");
}

TEST_F(runtime_test, handles_are_copies_of_one) {
    EXPECT_FALSE(runtime{});
    auto copy = shared;
    const auto moved = std::move(copy);
    EXPECT_TRUE(moved);
    shared = {};
    EXPECT_TRUE(connect({.runtime = moved}));
    EXPECT_EQ(threads_of("shared-timer"), 1) << "of the copy";
}

}  // namespace
}  // namespace turnstile::tests
