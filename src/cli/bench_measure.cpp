// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_measure.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "turnstile/mutex.hpp"
#include "turnstile/stop_any.hpp"

namespace turnstile::cli {

result<void> bench_measure::connect() {
    const auto deadline = boottime_clock::now() + plan_.connect_timeout;
    for (std::size_t i = 0; i != plan_.clients; ++i)
        clients_.push_back(std::make_unique<client>(plan_.servers, plan_.options));
    for (const auto& each : clients_)
        if (auto connected = each->wait_connected(deadline); !connected) return connected.error();
    return {};
}

void bench_measure::work(const client& servers, lane& own, const std::stop_token& stop) {
    mutex lock{servers, plan_.path};
    while (!stop.stop_requested()) {
        const auto called = boottime_clock::now();
        auto hold = lock.acquire({.stop = stop});
        const auto granted = boottime_clock::now();
        if (!hold) {
            if (!stop.stop_requested()) own.failure = hold.error();
            break;
        }
        own.samples.acquires.push_back(granted - called);
        const auto released = released_at_.exchange(0);
        // If the lock was free at the call, the grant is not a hand-over.
        if (released > called.time_since_epoch().count())
            own.samples.hand_overs.push_back(granted.time_since_epoch() -
                                             boottime_clock::duration{released});
        released_at_ = boottime_clock::now().time_since_epoch().count();
        if (const auto gone = hold->release(plan_.connect_timeout); !gone) {
            own.failure = gone.error();
            break;
        }
    }
    if (own.failure) failed_.request_stop();
}

result<bench_samples> bench_measure::run(const std::stop_token& stop) {
    const auto any = stop_any{stop, failed_.get_token()};
    std::vector<lane> lanes(clients_.size());
    const auto began = boottime_clock::now();
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i != lanes.size(); ++i)
            threads.emplace_back([&, i] { work(*clients_[i], lanes[i], any.token()); });
    }
    bench_samples all{.acquires = {}, .hand_overs = {}, .span = boottime_clock::now() - began};
    for (auto& each : lanes) {
        if (each.failure) return *each.failure;
        std::move(each.samples.acquires.begin(), each.samples.acquires.end(),
                  std::back_inserter(all.acquires));
        std::move(each.samples.hand_overs.begin(), each.samples.hand_overs.end(),
                  std::back_inserter(all.hand_overs));
    }
    return all;
}

boottime_clock::duration percentile(std::vector<boottime_clock::duration>& all, double part) {
    if (all.empty()) return {};
    std::sort(all.begin(), all.end());
    const auto rank = std::ceil(part * static_cast<double>(all.size()));
    return all[std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, all.size()) - 1];
}

}  // namespace turnstile::cli
