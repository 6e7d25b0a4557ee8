// SPDX-License-Identifier: Apache-2.0
// Compares the class `lease` with its definition (lease.hpp), which a slow model evaluates over a whole random history.
// The class stores only some of the answers. So it may shorten the lease by at most `k_grain`, and never lengthens it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "core/lease/lease.hpp"
#include "unit/support/times.hpp"

namespace turnstile::core {
namespace lease_property_tests {

using namespace std::chrono_literals;
using test::at;

constexpr duration k_relay = 1200ms;
constexpr duration k_timeout = 3000ms;
constexpr duration k_grain = k_timeout / 64;  // the larger of the two grains in lease.cpp

class definition {
public:
    void opening(time_point before) {
        certain_ = before;
        answers_.clear();
        learned_.reset();
        link_.reset();
    }
    void attached(std::uint64_t connection, time_point heard) {
        connection_ = connection;
        learned_.reset();
        link_.reset();
        if (heard >= certain_ + k_timeout) return;
        link_ = certain_;
        for (const auto& sent : answers_) link_ = std::max(*link_, sent.sent);
    }
    void direct(time_point learned) {
        if (!learned_) learned_ = learned;
    }
    void answered(time_point sent, time_point received, bool committed) {
        if (!link_ || received >= end()) return;
        if (committed) {
            if (learned_ && *learned_ <= sent) raise(sent);  // clause (a)
            for (const auto& entry : answers_) {
                if (entry.connection < connection_) raise(entry.sent);  // clause (d)
                if (entry.connection == connection_ && entry.received <= sent - k_relay)
                    raise(entry.sent);  // clause (b)
            }
        }
        const bool direct = learned_ && *learned_ <= sent;
        if (received + (direct ? duration{} : k_relay) <= end()) link_ = std::max(*link_, sent);
        answers_.push_back({connection_, sent, received});
    }
    [[nodiscard]] time_point certain() const { return certain_; }
    [[nodiscard]] time_point end() const { return std::max(certain_, *link_) + k_timeout; }

private:
    struct answer {
        std::uint64_t connection;
        time_point sent;
        time_point received;
    };
    void raise(time_point to) { certain_ = std::max(certain_, to); }

    std::vector<answer> answers_;
    std::uint64_t connection_ = 0;
    std::optional<time_point> learned_;
    std::optional<time_point> link_;
    time_point certain_;
};

// Simulates a session: the servers answer its requests in order, and its connections break and are replaced.
class history {
public:
    explicit history(std::uint64_t seed) : chance_{seed} { open(); }

    void step() {
        now_ += std::chrono::milliseconds{pick(pick(50) == 0 ? 2500 : 40)};
        if (now_ >= lease_.trusted_until()) return open();
        const auto draw = pick(100);
        if (draw < 45) {
            in_flight_.push_back({now_, pick(3) == 0});
        } else if (draw < 95) {
            answer();
        } else if (draw < 97) {
            attach();
        } else if (draw < 98) {
            lease_.role_known(connection_, server_role::leader, now_);
            truth_.direct(now_);
        }
    }

    void check() const {
        const auto certain = lease_.valid_until() - k_timeout;
        ASSERT_LE(certain, truth_.certain());
        ASSERT_GE(certain, truth_.certain() - k_grain);
    }

    // Checks that a write at next_useful_write() extends the lease, and that an earlier write does not.
    void check_next_useful_write() const {
        const auto useful = lease_.next_useful_write();
        if (!useful) return;
        const auto sent = std::max(*useful, now_ + 1ns);
        if (sent >= truth_.end() - k_grain) return;  // too late for any effect
        auto later = lease_;
        later.answered(connection_, sent, sent, true);
        ASSERT_GT(later.valid_until(), lease_.valid_until());
        if (*useful <= now_) return;
        auto sooner = lease_;
        sooner.answered(connection_, *useful - 1ns, *useful, true);
        ASSERT_EQ(sooner.valid_until(), lease_.valid_until());
    }

    [[nodiscard]] int opened() const { return opened_; }

private:
    struct request {
        time_point sent;
        bool write;
    };

    std::int64_t pick(std::uint64_t below) { return static_cast<std::int64_t>(chance_() % below); }
    void open() {
        lease_.opening(now_);
        truth_.opening(now_);
        ++opened_;
        attach();
    }
    void attach() {
        in_flight_.clear();
        lease_.attached(++connection_, k_timeout, now_);
        truth_.attached(connection_, now_);
        if (!lease_.valid(now_)) open();
    }
    void answer() {
        if (in_flight_.empty()) return;
        const auto oldest = in_flight_.front();
        in_flight_.erase(in_flight_.begin());
        lease_.answered(connection_, oldest.sent, now_, oldest.write);
        truth_.answered(oldest.sent, now_, oldest.write);
    }

    base::random chance_;
    lease lease_{lease_rule{k_relay, false, 0}};
    definition truth_;
    std::vector<request> in_flight_;
    std::uint64_t connection_ = 0;
    int opened_ = 0;
    time_point now_ = at(0s);
};

TEST(lease_property, is_its_definition_but_for_the_grain) {
    int opened = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        history run{seed};
        for (int i = 0; i != 400; ++i) {
            run.step();
            run.check();
            run.check_next_useful_write();
            if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
        }
        opened += run.opened();
    }
    EXPECT_GT(opened, 120) << "histories in which no chain breaks show little";
}

}  // namespace lease_property_tests
}  // namespace turnstile::core
