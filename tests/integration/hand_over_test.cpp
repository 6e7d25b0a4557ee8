// Holders that die, stop, or lose their link on real servers: the old guard ends before the next one
// begins (G1), every time; and the servers hand over within their time-out.
#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <iostream>
#include <vector>

#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

constexpr auto k_session_timeout = 2000ms;
constexpr int k_at_once = 10;  // locks that lose their holder at the same time

enum class end { killed, paused, black_holed };

struct scene {
    std::size_t servers;
    end how;
    int rounds;
};

void PrintTo(const scene& what, std::ostream* out) {
    *out << what.servers << " servers, way " << static_cast<int>(what.how);
}

// One lock with a holder in a process of its own, behind a proxy, and a waiter here.
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
    boottime_clock::time_point granted_at{};
    guard hold;

    // What the holder's guard said last: it is the holder that wrote it, until its last moment.
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

    void end_holder(pair_of_contenders& one) {
        switch (GetParam().how) {
            case end::killed: return one.holder.kill();
            case end::paused: return one.holder.pause();
            case end::black_holed: return one.proxy.black_hole();
        }
    }
};

TEST_P(hand_over, the_old_guard_ends_before_the_new_one_begins) {
    auto options = quick_options(10s);
    const auto waiter = connect(servers.connect_string(), options);
    std::vector<double> seconds;
    for (int round = 0; round != GetParam().rounds; ++round) {
        std::vector<std::unique_ptr<pair_of_contenders>> pairs;
        testing::event granted;
        for (int i = 0; i != k_at_once; ++i) {
            const auto at = static_cast<std::size_t>(i) % servers.size();
            pairs.push_back(std::make_unique<pair_of_contenders>(
                servers, at, *waiter,
                "/hand-over/" + std::to_string(round) + "-" + std::to_string(i)));
        }
        for (auto& one : pairs) {
            ASSERT_TRUE(one->holder.wait_for_output("grant ")) << one->holder.output();
            one->lock.async_acquire({}, [&granted, p = one.get()](result<guard> mine) {
                p->granted_at = boottime_clock::now();
                if (mine) p->hold = std::move(*mine);
                granted.set();
            });
            ASSERT_TRUE(becomes_size(*waiter, one->path, 2));
        }
        std::vector<boottime_clock::time_point> ended;
        for (auto& one : pairs) {
            end_holder(*one);
            ended.push_back(boottime_clock::now());
        }
        ASSERT_TRUE(granted.wait(k_at_once));
        for (std::size_t i = 0; i != pairs.size(); ++i) {
            auto& one = *pairs[i];
            if (GetParam().how == end::paused) one.holder.resume();
            EXPECT_TRUE(one.hold.valid());
            EXPECT_LT(one.holder_valid_until(), one.granted_at) << one.path;
            seconds.push_back(std::chrono::duration<double>(one.granted_at - ended[i]).count());
        }
    }
    std::sort(seconds.begin(), seconds.end());
    std::cout << "hand-over after the end of the holder: median " << seconds[seconds.size() / 2]
              << " s, longest " << seconds.back() << " s; session time-out 2 s, tick 0.2 s\n";
}

std::string name_of(const ::testing::TestParamInfo<scene>& which) {
    constexpr std::array ways{"killed", "paused", "black_holed"};
    return std::to_string(which.param.servers) + "_servers_" +
           ways.at(static_cast<std::size_t>(which.param.how));
}

INSTANTIATE_TEST_SUITE_P(on, hand_over,
                         ::testing::Values(scene{1, end::killed, 2}, scene{1, end::paused, 2},
                                           scene{1, end::black_holed, 1}, scene{3, end::killed, 2},
                                           scene{3, end::paused, 2}, scene{3, end::black_holed, 1}),
                         name_of);

}  // namespace
}  // namespace turnstile::tests
