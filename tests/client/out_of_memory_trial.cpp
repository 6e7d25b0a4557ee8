// SPDX-License-Identifier: Apache-2.0
#include "out_of_memory_trial.hpp"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fmt/core.h>

namespace turnstile::tests {

namespace {

constexpr std::string_view k_sentence = "turnstile: out of memory in ";
constexpr std::string_view k_count = "allocations: ";

int play(const trial& tried, std::uint64_t number, place&& at) {
    scene stage{std::move(at)};
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
    fmt::print(stderr, "{}{}\n", k_count, allocations);
    return 0;
}

std::uint64_t count_in(const std::string& said) {
    const auto found = said.rfind(k_count);
    return found == std::string::npos ? 0 : std::stoull(said.substr(found + k_count.size()));
}

}  // namespace

trial_end play_apart(const trial& tried, std::uint64_t number, const std::function<place()>& at) {
    const auto most = std::chrono::ceil<std::chrono::seconds>(3 * limit());
    const auto end = run_in_child(most, [&] { return play(tried, number, at()); });
    if (WIFEXITED(end.status)) {
        if (WEXITSTATUS(end.status) == 0) return {ending::went_on, count_in(end.said), {}};
        return {ending::wrong, 0, "refused: " + end.said};
    }
    const int signal = WTERMSIG(end.status);
    if (signal == SIGABRT && end.said.find(k_sentence) != std::string::npos &&
        end.said.find("terminate called") == std::string::npos)
        return {ending::by_sentence, 0, {}};
    return {ending::wrong, 0,
            (signal == SIGALRM ? "hung" : ::strsignal(signal)) + (": " + end.said)};
}

std::vector<trial> trials_of(const std::vector<named_cycle>& cycles) {
    std::vector<trial> all;
    for (const auto& each : cycles)
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

}  // namespace turnstile::tests
