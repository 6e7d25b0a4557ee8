// SPDX-License-Identifier: Apache-2.0
// Tests exhausted memory in a client of real servers, for a sample of the allocations. tests/client tests all
// allocations, with servers in memory.
#include "client/out_of_memory_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/session_fault.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/tools/session_secret.hpp"

namespace turnstile::tests {
namespace {

constexpr std::uint64_t k_samples = 12;
constexpr auto k_none = std::numeric_limits<std::uint64_t>::max();

// Each call returns a new path, because the session of an ended test process keeps its znodes for a while.
std::string new_root() {
    static int count = 0;
    return "/trial-" + std::to_string(++count);
}

testing::ensemble& zookeeper() {
    static testing::ensemble shared;
    return shared;
}

place at_zookeeper() {
    const auto where = zookeeper().connect_string();
    return {where, new_root(), [where](const client& mine) {
                const auto secret = secret_of(mine);
                testing::close_session(where, secret.id, secret.password);
            }};
}

#ifdef TURNSTILE_WITH_REDIS
testing::redis_server& redis() {
    static testing::redis_server shared;
    shared.start();
    return shared;
}

place at_redis() {
    return {redis().connect_string(), new_root(), [](const client& /*mine*/) {
                static_cast<void>(redis().ask("FLUSHALL"));
                static_cast<void>(redis().ask("CLIENT KILL TYPE normal"));
            }};
}
#endif

#ifdef TURNSTILE_WITH_SQLITE
place at_sqlite() {
    static const testing::temporary_folder folder;
    return {"sqlite:" + (folder.path() / "locks.db").string(), new_root(), nullptr};
}
#endif

struct server_kind {
    const char* name;
    place (*at)();
};
constexpr std::array k_kinds{
    server_kind{"zookeeper", at_zookeeper},
#ifdef TURNSTILE_WITH_REDIS
    server_kind{"redis", at_redis},
#endif
#ifdef TURNSTILE_WITH_SQLITE
    server_kind{"sqlite", at_sqlite},
#endif
};

struct server_trial {
    server_kind kind;
    trial tried;
};

// Returns true for the cycles (sequences of calls) that need a session. tests/client runs the other cycles.
bool is_of_sessions(const named_cycle& cycle) {
    constexpr std::array<std::string_view, 8> k_cycles{"mutex_async", "shared",    "permit_limit",
                                                       "commits",     "election",  "session_lost",
                                                       "link_broken", "new_client"};
    return std::find(k_cycles.begin(), k_cycles.end(), cycle.name) != k_cycles.end();
}

std::vector<server_trial> all_trials() {
    std::vector<named_cycle> cycles;
    for (const auto& each : all_cycles())
        if (is_of_sessions(each)) cycles.push_back(each);
    std::vector<server_trial> all;
    for (const auto& kind : k_kinds)
        for (const auto& tried : trials_of(cycles)) {
            const std::string_view cycle = tried.cycle.name;
            const bool needs_link = cycle == "session_lost" || cycle == "link_broken";
            if (needs_link && std::string_view{kind.name} == "sqlite") continue;
            all.push_back({kind, tried});
        }
    return all;
}

void PrintTo(const server_trial& tried, std::ostream* to) {
    *to << tried.kind.name << ' ' << name_of(tried.tried);
}

class out_of_memory_of : public ::testing::TestWithParam<server_trial> {
protected:
    static trial_end play(std::uint64_t number) {
        const auto& [kind, tried] = GetParam();
        const auto at = kind.at();
        return play_apart(tried, number, [&at] { return at; });
    }
};

TEST_P(out_of_memory_of, clients_leaves_none_half_way) {
    const auto undisturbed = play(k_none);
    ASSERT_EQ(undisturbed.complaint, "");
    const auto all = undisturbed.allocations;
    ASSERT_GT(all, k_samples);
    const auto step = std::max<std::uint64_t>(all / k_samples, 1);
    int ended = 0;
    for (std::uint64_t number = 1 + step / 2; number <= all; number += step) {
        const auto end = play(number);
        ASSERT_EQ(end.complaint, "") << "allocation " << number << " of " << all;
        if (end.how == ending::by_sentence) ++ended;
    }
    EXPECT_GT(ended, 0) << "of " << all << ": the library has not met it";
}

INSTANTIATE_TEST_SUITE_P(servers, out_of_memory_of, ::testing::ValuesIn(all_trials()),
                         [](const auto& tried) {
                             return tried.param.kind.name + ("_" + name_of(tried.param.tried));
                         });

}  // namespace
}  // namespace turnstile::tests
