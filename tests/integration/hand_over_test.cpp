// SPDX-License-Identifier: Apache-2.0
// Tests holders that die, stop, or lose their connection. The old guard must be invalid before the next grant (promise
// G1), and the next grant must come within the session timeout.
#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <iostream>
#include <optional>
#include <vector>

#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

// Most holders are attached to a follower. A lease through a follower needs a session timeout above 5/3 of the relay
// bound. The relay bound, here 2.2 s, is the longest time until the leader learns of a message that a follower has
// answered (docs/why/lease.md).
constexpr auto k_session_timeout = 4000ms;
constexpr int k_at_once = 10;  // locks that lose their holder at the same time

enum class end { killed, paused, black_holed };

struct scene {
    std::size_t servers;
    end how;
};

void PrintTo(const scene& scene, std::ostream* out) {
    *out << scene.servers << " servers, way " << static_cast<int>(scene.how);
}

// A lock. Its holder is a process behind a proxy, and its waiter is in this process.
struct pair_of_contenders {
    pair_of_contenders(const ensemble& servers, std::size_t at, client& waiter, std::string where)
        : proxy{servers.connect_string(at)},
          path{std::move(where)},
          holder{testing::process_options{
              {TURNSTILE_CONTENDER, proxy.address(), path,
               std::to_string(k_session_timeout.count()), "hold", folder.path()},
              {},
              folder.path() / "output",
              {}}},
          lock{waiter, path} {}

    tcp_proxy proxy;
    testing::temporary_folder folder;
    std::string path;
    testing::process holder;
    mutex lock;
    std::optional<boottime_clock::time_point> ended;  // when the test ended the holder
    testing::event granted;                           // the waiter is granted
    boottime_clock::time_point granted_at{};
    guard hold;

    void wait_behind_holder() {
        lock.async_acquire({}, [this](result<guard> mine) {
            granted_at = boottime_clock::now();
            if (mine) hold = std::move(*mine);
            granted.set();
        });
    }

    // Returns the last valid_until() that the holder wrote into its file.
    [[nodiscard]] boottime_clock::time_point holder_valid_until() const {
        std::ifstream file{folder.path() / "lease", std::ios::binary};
        std::int64_t ns = 0;
        file.read(reinterpret_cast<char*>(&ns), sizeof ns);
        return boottime_clock::time_point{boottime_clock::duration{ns}};
    }
};

class hand_over : public ::testing::TestWithParam<scene> {
protected:
    ensemble servers{{.count = GetParam().servers}};

    void SetUp() override { servers.wait_until_serving(); }

    void end_holder(pair_of_contenders& pair) {
        switch (GetParam().how) {
            case end::killed: return pair.holder.kill();
            case end::paused: return pair.holder.pause();
            case end::black_holed: return pair.proxy.black_hole();
        }
    }
};

TEST_P(hand_over, the_old_guard_ends_before_the_new_one_begins) {
    std::vector<std::unique_ptr<pair_of_contenders>> pairs;
    const auto waiter = connect(servers.connect_string(), quick_options(10s));
    for (std::size_t i = 0; i != k_at_once; ++i) {
        pairs.push_back(std::make_unique<pair_of_contenders>(servers, i % servers.size(), *waiter,
                                                             "/hand-over/" + std::to_string(i)));
    }
    for (auto& pair : pairs) {
        ASSERT_TRUE(pair->holder.wait_for_output("grant ")) << pair->holder.output();
        pair->wait_behind_holder();
        // If the machine stops for seconds, a holder may lose its lock before the test disturbs that holder.
        ASSERT_TRUE(eventually([&] {
            return pair->granted.is_set() || queue_names(*waiter, pair->path).size() == 2;
        })) << pair->holder.output();
    }
    for (auto& pair : pairs) {
        if (pair->granted.is_set()) continue;
        end_holder(*pair);
        pair->ended = boottime_clock::now();
    }
    std::vector<double> seconds;
    for (auto& pair : pairs) {
        ASSERT_TRUE(pair->granted.wait()) << pair->path << ": " << pair->holder.output();
        if (GetParam().how == end::paused) pair->holder.resume();
        EXPECT_TRUE(pair->hold.valid());
        EXPECT_LT(pair->holder_valid_until(), pair->granted_at) << pair->path;
        if (pair->ended) {
            seconds.push_back(
                std::chrono::duration<double>(pair->granted_at - *pair->ended).count());
        }
    }
    ASSERT_FALSE(seconds.empty());
    std::sort(seconds.begin(), seconds.end());
    std::cout << "hand-over after the end of " << seconds.size() << " holders of " << pairs.size()
              << ": median " << seconds[seconds.size() / 2] << " s, longest " << seconds.back()
              << " s; session timeout " << k_session_timeout / 1s << " s, tick 0.2 s\n";
}

std::string name_of(const ::testing::TestParamInfo<scene>& which) {
    constexpr std::array ways{"killed", "paused", "black_holed"};
    return std::to_string(which.param.servers) + "_servers_" +
           ways.at(static_cast<std::size_t>(which.param.how));
}

INSTANTIATE_TEST_SUITE_P(on, hand_over,
                         ::testing::Values(scene{1, end::killed}, scene{1, end::paused},
                                           scene{1, end::black_holed}, scene{3, end::killed},
                                           scene{3, end::paused}, scene{3, end::black_holed}),
                         name_of);

}  // namespace
}  // namespace turnstile::tests
