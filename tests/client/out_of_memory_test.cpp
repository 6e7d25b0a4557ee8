// SPDX-License-Identifier: Apache-2.0
// Tests exhausted memory at each allocation of each recipe's cycle of calls. The call must succeed, throw without
// effect, or end the process with the library's message. The client must never just stop working.
#include "out_of_memory_trial.hpp"

#include <sys/wait.h>

namespace turnstile::tests {
namespace {

place in_memory() {
    return {"local:first", "",
            [](const client& mine) { local::faults{"first"}.expire(mine.session().id); }};
}

class out_of_memory : public ::testing::TestWithParam<trial> {};

TEST_P(out_of_memory, leaves_no_client_half_way) {
    int ended = 0;
    std::uint64_t number = 1;
    for (;; ++number) {
        const auto end = play_apart(GetParam(), number, in_memory);
        ASSERT_EQ(end.complaint, "") << "allocation " << number;
        if (end.how == ending::by_sentence) ++ended;
        if (end.how == ending::went_on && end.allocations < number) break;
    }
    RecordProperty("allocations", static_cast<int>(number));
    RecordProperty("ended", ended);
    EXPECT_GT(ended, 0) << "of " << number << ": the library has not met it";
}

INSTANTIATE_TEST_SUITE_P(each_allocation, out_of_memory,
                         ::testing::ValuesIn(trials_of(all_cycles())),
                         [](const auto& tried) { return name_of(tried.param); });

// An exception from a user's callback belongs to the program, even std::bad_alloc. It must not end the process.
TEST(out_of_memory_of_user_code, ends_nothing) {
    const auto end = run_in_child(std::chrono::ceil<std::chrono::seconds>(3 * limit()), [] {
        scene stage{in_memory()};
        mutex lock{*stage.servers, "/lock"};
        auto& told = stage.new_event();
        auto hold = lock.acquire({.timeout = stage.patience}).value();
        lock.async_acquire({}, [&](const result<guard>&) {
            told.set();
            throw std::bad_alloc{};
        });
        hold.unlock();
        demand(told.wait(), "no handler was called");
        mutex{*stage.servers, "/lock"}.acquire({.timeout = stage.patience}).value().unlock();
        stage.end();
        return 0;
    });
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) << end.said;
    EXPECT_NE(end.said.find("bad_alloc"), std::string::npos) << "it is logged: " << end.said;
}

}  // namespace
}  // namespace turnstile::tests
