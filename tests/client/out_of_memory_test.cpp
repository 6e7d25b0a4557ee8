// SPDX-License-Identifier: Apache-2.0
// Memory that is exhausted, at each allocation of each recipe's cycle: the call succeeds, or throws and has done nothing,
// or the process ends with the library's sentence. A client is never silently dead.
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "out_of_memory.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_over = 10;  // the cycle has fewer allocations
constexpr std::string_view k_sentence = "turnstile: out of memory in ";

struct trial {
    named_cycle cycle;
    failing how;
};

// The cycle while memory fails, and once more when it is there again.
int play(const trial& tried, std::uint64_t number) {
    scene stage;
    failing_memory::start(number, tried.how);
    try {
        tried.cycle.play(stage);
    } catch (const std::bad_alloc&) {
    } catch (const std::exception& other) {
        failing_memory::stop();
        demand(false, other.what());
    }
    const auto allocations = failing_memory::stop();
    try {
        tried.cycle.play(stage);
    } catch (const std::exception& after) {
        demand(false, after.what());
    }
    stage.end();
    return allocations < number ? k_over : 0;
}

// Empty where it ended as it may.
std::string complaint(const child_end& end) {
    if (WIFEXITED(end.status)) {
        const int code = WEXITSTATUS(end.status);
        return code == 0 || code == k_over ? "" : "refused: " + end.said;
    }
    const int signal = WTERMSIG(end.status);
    const bool by_sentence = signal == SIGABRT && end.said.find(k_sentence) != std::string::npos &&
                             end.said.find("terminate called") == std::string::npos;
    if (by_sentence) return "";
    return (signal == SIGALRM ? "hung" : ::strsignal(signal)) + (": " + end.said);
}

std::vector<trial> all_trials() {
    std::vector<trial> all;
    for (const auto& each : all_cycles())
        for (const auto how : {failing::only_that, failing::that_and_later})
            all.push_back({each, how});
    return all;
}

std::string name_of(const trial& tried) {
    return std::string{tried.cycle.name} +
           (tried.how == failing::only_that ? "_once" : "_from_then_on");
}

void PrintTo(const trial& tried, std::ostream* to) {
    *to << name_of(tried);
}

class out_of_memory : public ::testing::TestWithParam<trial> {};

TEST_P(out_of_memory, leaves_no_client_half_way) {
    const auto most = std::chrono::ceil<std::chrono::seconds>(3 * limit());
    int ended = 0;
    std::uint64_t number = 1;
    for (;; ++number) {
        const auto end = run_in_child(most, [&] { return play(GetParam(), number); });
        ASSERT_EQ(complaint(end), "") << "allocation " << number;
        if (WIFSIGNALED(end.status)) ++ended;
        if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == k_over) break;
    }
    RecordProperty("allocations", static_cast<int>(number));
    RecordProperty("ended", ended);
    EXPECT_GT(ended, 0) << "of " << number << ": the library has not met it";
}

INSTANTIATE_TEST_SUITE_P(each_allocation, out_of_memory, ::testing::ValuesIn(all_trials()),
                         [](const auto& tried) { return name_of(tried.param); });

// What a callback throws is the program's, whatever it is.
TEST(out_of_memory_of_user_code, ends_nothing) {
    const auto end = run_in_child(std::chrono::ceil<std::chrono::seconds>(3 * limit()), [] {
        scene stage;
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
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) << complaint(end);
    EXPECT_NE(end.said.find("bad_alloc"), std::string::npos) << "it is logged: " << end.said;
}

}  // namespace
}  // namespace turnstile::tests
