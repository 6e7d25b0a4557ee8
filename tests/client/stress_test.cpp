// SPDX-License-Identifier: Apache-2.0
// Several threads make random calls. The test checks exclusion, that each handler runs once, that no contender remains,
// and that close() returns on any thread. A seed repeats the calls, but not the system's schedule of the threads.
#include <atomic>
#include <random>
#include <stop_token>
#include <vector>

#include <boost/thread/thread.hpp>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

constexpr int k_threads = 4;
constexpr int k_steps = 40;

// A client, the threads that use it, and the expected results.
class workload {
public:
    workload(const std::string& where, unsigned seed, executor callbacks)
        : servers_{where, {.callbacks = std::move(callbacks)}}, seed_{seed} {}

    void run(local::faults& faults) {
        std::vector<boost::thread> threads;
        for (unsigned i = 0; i != k_threads; ++i)
            threads.emplace_back([this, &faults, i] { work(faults, seed_ * 100 + i); });
        for (int i = 0; i != k_steps; ++i)
            threads[static_cast<std::size_t>(i) % k_threads].interrupt();
        for (auto& thread : threads) thread.join();
    }
    // Closes the client on a thread that the seed chooses.
    void close() {
        auto hold = lock_.acquire();
        if (seed_ % 3 == 0 || !hold) return servers_.close();
        event closed;
        const auto close_here = [&] {
            servers_.close();
            closed.set();
        };
        if (seed_ % 3 == 1) {
            lock_.async_acquire({.timeout = 1ms}, [&](const result<guard>&) { close_here(); });
            EXPECT_TRUE(closed.wait());
        } else {
            const std::stop_callback on_lost{hold->lost(), close_here};
            servers_.close();
            EXPECT_TRUE(closed.wait());
        }
    }
    void expect_all_told() {
        EXPECT_TRUE(eventually([&] { return called_ == asked_; }));
        EXPECT_EQ(overlaps_, 0);
    }

private:
    void work(local::faults& faults, unsigned seed) {
        std::mt19937 dice{seed};
        for (int i = 0; i != k_steps; ++i) {
            try {
                step(faults, dice() % 8);
            } catch (const boost::thread_interrupted&) {
            }
        }
    }
    void step(local::faults& faults, unsigned draw) {
        switch (draw) {
            case 0: return use(lock_.acquire({.timeout = 5ms}));
            case 1: return use(lock_.try_acquire());
            case 2:
                return use(lock_.acquire({.on_queued = [this](std::size_t) { ++noise_; },
                                          .on_lost = [this](const error&) { ++noise_; }}));
            case 3:
                ++asked_;
                lock_.async_acquire({.timeout = 20ms}, [this](const result<guard>& hold) {
                    use(hold);
                    ++called_;
                });
                return;
            case 4: {
                std::stop_source stop;
                ++asked_;
                lock_.async_acquire({.stop = stop.get_token()}, [this](const result<guard>& hold) {
                    use(hold);
                    ++called_;
                });
                stop.request_stop();
                return;
            }
            case 5: return static_cast<void>(lock_.queue());
            case 6: {
                const auto handle = servers_.on_change([this](const session_change&) { ++noise_; });
                return;
            }
            default:
                if (expires_) faults.expire(servers_.session().id);
        }
    }
    // The test may expire a session by force, which ends the session's holds at once. The library does not promise
    // exclusion then.
    void use(const result<guard>& hold) {
        if (!hold || !hold->valid()) return;
        if (inside_.fetch_add(1) != 0 && !expires_) ++overlaps_;
        boost::this_thread::yield();
        inside_.fetch_sub(1);
    }

    client servers_;
    mutex lock_{servers_, "/lock"};
    const unsigned seed_;
    const bool expires_ = seed_ % 2 == 1;
    std::atomic<int> inside_{0};
    std::atomic<int> overlaps_{0};
    std::atomic<int> asked_{0};
    std::atomic<int> called_{0};
    std::atomic<int> noise_{0};
};

class stress : public shell_test, public ::testing::WithParamInterface<unsigned> {};

TEST_P(stress, everything_at_once_comes_to_an_end) {
    loop_thread loop;
    const std::vector<executor> kinds{executor{}, inline_executor(), throwing_executor(),
                                      loop.run()};
    workload all{where, GetParam(), kinds[GetParam() % kinds.size()]};
    all.run(faults);
    all.close();
    all.expect_all_told();
    const auto observer = connect();
    EXPECT_TRUE(mutex(*observer, "/lock").queue().value().empty());
}

INSTANTIATE_TEST_SUITE_P(seeds, stress, ::testing::Range(0U, 12U));

}  // namespace
}  // namespace turnstile::tests
