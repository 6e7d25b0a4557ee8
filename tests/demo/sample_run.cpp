// SPDX-License-Identifier: Apache-2.0
#include "sample_run.hpp"

#include <chrono>

namespace demo {

namespace {

using std::chrono::milliseconds;
using turnstile::fencing_token;

// Writes a run's events down, one hold after the other.
class sample_writer {
public:
    sample_writer() {
        run_.settings.items = 6;
        run_.settings.workers = 4;
        run_.began = at(0);
        for (int worker = 1; worker <= 4; ++worker) add(event_kind::asked, worker, 0);
    }

    fencing_token grant(int worker, int ms, std::uint64_t epoch = 1) {
        const fencing_token token{0x10 + 2 * static_cast<std::uint64_t>(++sequence_)};
        run_.events.push_back({event_kind::granted, worker, at(ms), token, sequence_, epoch, {}});
        return token;
    }

    // A hold of 5 ms that sells one item.
    void sell(int worker, int ms, std::uint64_t epoch = 1) {
        const auto token = grant(worker, ms, epoch);
        run_.sales.push_back({left_--, worker, token});
        add(event_kind::sold, worker, ms + 4);
        add(event_kind::released, worker, ms + 5);
        add(event_kind::asked, worker, ms + 6);
    }

    void add(event_kind kind, int worker, int ms, fencing_token token = {}, std::int64_t n = 0) {
        run_.events.push_back({kind, worker, at(ms), token, n, 0, {}});
    }

    static time_point at(int ms) {
        return time_point{std::chrono::seconds{1'000}} + milliseconds{ms};
    }

    run_record finish(int ms) {
        run_.ended = at(ms);
        run_.stock_left = left_;
        return run_;
    }

private:
    run_record run_;
    std::int64_t sequence_ = 0;
    int left_ = 6;
};

}  // namespace

run_record sample_run() {
    sample_writer out;
    out.sell(1, 10);
    out.sell(2, 20);
    out.sell(3, 30);
    out.grant(1, 40);
    out.add(event_kind::killed, 1, 50);
    out.sell(3, 4'250);
    out.grant(4, 4'260);
    out.add(event_kind::killed_guarded, 4, 4'270);
    const auto stale = out.grant(2, 4'300);
    out.add(event_kind::stopped, 2, 4'310);
    out.sell(3, 8'500);
    out.add(event_kind::resumed, 2, 8'600);
    const auto lease_end = sample_writer::at(8'290).time_since_epoch().count();
    out.add(event_kind::lost, 2, 8'601, stale, lease_end);
    out.add(event_kind::refused, 2, 8'602, stale, 2);
    out.add(event_kind::released, 2, 8'603);
    out.add(event_kind::asked, 2, 8'604);
    out.sell(2, 8'700, 2);
    return out.finish(8'800);
}

}  // namespace demo
