// SPDX-License-Identifier: Apache-2.0
// Runs the examples in the comments of turnstile/coroutine.hpp, async_call.hpp and acquisition_awaitable.hpp.
#include <utility>

#include "headers/reader.hpp"
#include "recipe/coroutine_task.hpp"
#include "turnstile/acquisition_awaitable.hpp"
#include "turnstile/async_call.hpp"
#include "turnstile/coroutine.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;
using task = coroutine_task;

reader write;

namespace of_coroutine {
#include "examples/coroutine.inc"
}  // namespace of_coroutine

// An executor that runs a task at once, on the calling thread.
const executor pool = [](const std::function<void()>& work) { work(); };

TEST(header_examples, coroutine) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    const auto before = write.calls();
    const auto shipped = of_coroutine::ship(orders, pool);
    ASSERT_TRUE(shipped.wait());
    shipped.rethrow();
    EXPECT_EQ(write.calls(), before + 1);
}

TEST(header_examples, options_of_coroutine) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    const std::stop_token stop;
    const auto work = [&]() -> task {
#include "examples/coroutine-2.inc"
        EXPECT_TRUE(hold);
    };
    const auto done = work();
    ASSERT_TRUE(done.wait());
    done.rethrow();
}

TEST(header_examples, async_call) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    const auto work = [&]() -> task {
#include "examples/async_call.inc"
        EXPECT_TRUE(queue && hold && gone);
    };
    const auto done = work();
    ASSERT_TRUE(done.wait());
    done.rethrow();
}

TEST(header_examples, acquisition_awaitable) {
    client servers{own_tree()};
    turnstile::mutex m{servers, "/locks/orders"};
    const acquire_options patient{.timeout = 1min};
    const auto work = [&]() -> task {
#include "examples/acquisition_awaitable.inc"
        EXPECT_TRUE(hold);
    };
    const auto done = work();
    ASSERT_TRUE(done.wait());
    done.rethrow();
}

}  // namespace
}  // namespace turnstile::tests
