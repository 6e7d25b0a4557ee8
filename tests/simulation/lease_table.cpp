// SPDX-License-Identifier: Apache-2.0
// turnstile_lease_table: measures how long a holder's lease is still valid at the grant and later, for the table in
// docs/why/lease.md. Runs the shipped core in virtual time, on one connection without faults and with a round trip of
// 10 ms.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/session/session_core.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::core;

constexpr duration k_round_trip = 10ms;
constexpr contender_id k_hold{1};
constexpr std::int64_t k_session = 7;

struct setting {
    std::string_view attached_to;
    std::string_view described;
    turnstile::server_role role;
    duration relay_bound;
    duration timeout;
};

class measured {
public:
    explicit measured(const setting& setting) : setting_{setting}, core_{settings(setting)} {
        core_.on(start{}, now_);
        execute();
    }

    void run_to(time_point end) {
        while (true) {
            const auto timer = core_.next_deadline();
            const auto next =
                std::min(timer.value_or(end), arriving_.empty() ? end : arriving_.begin()->first);
            if (next >= end) break;
            now_ = std::max(now_, next);
            note_remaining();
            if (!arriving_.empty() && arriving_.begin()->first <= now_) {
                auto event = std::move(arriving_.extract(arriving_.begin()).mapped());
                core_.on(from_session{core_.epoch(), std::move(event)}, now_);
            } else {
                core_.on_time(now_);
            }
            execute();
            note_remaining();
        }
        now_ = end;
    }
    void acquire_lock() {
        acquire call;
        call.id = k_hold;
        call.settings.folder = "/q";
        core_.on(call, now_);
        execute();
    }
    void forget_extremes() { least_ = most_ = std::nullopt; }

    [[nodiscard]] time_point now() const { return now_; }
    [[nodiscard]] std::optional<duration> first() const { return first_; }
    [[nodiscard]] std::optional<duration> least() const { return least_; }
    [[nodiscard]] std::optional<duration> most() const { return most_; }
    [[nodiscard]] bool lost() const { return lost_; }

private:
    static session_core_settings settings(const setting& setting) {
        session_core_settings result;
        result.lease.relay_bound = setting.relay_bound;
        result.lease.clock_drift = 0.001;
        result.retry_first = 50ms;
        result.retry_longest = 1s;
        return result;
    }

    void note_remaining() {
        if (!first_ || lost_) return;
        const auto left = core_.session_lease().valid_until() - now_;
        least_ = std::min(least_.value_or(left), left);
        most_ = std::max(most_.value_or(left), left);
    }

    void execute() {
        for (auto& action : core_.take()) {
            if (auto* request = std::get_if<submit>(&action)) {
                answer_later(request->request);
            } else if (std::holds_alternative<open_session>(action)) {
                attach_later();
            } else if (const auto* told = std::get_if<notice>(&action)) {
                if (std::holds_alternative<granted>(told->event))
                    first_ = core_.session_lease().valid_until() - now_;
                if (std::holds_alternative<turnstile::core::lost>(told->event)) lost_ = true;
            }
        }
    }

    void attach_later() {
        link_event event;
        event.kind = link_kind::attached;
        event.connection = 1;
        event.session_id = k_session;
        event.timeout = setting_.timeout;
        event.role = setting_.role;
        arriving_.emplace(now_ + k_round_trip, event);
    }

    void answer_later(const request& request) {
        reply reply;
        reply.id = request.id;
        reply.outcome = outcome::answered;
        reply.connection = 1;
        reply.sent = now_;
        if (const auto* create = std::get_if<create_op>(&request.op)) {
            reply.path = create->path + "0000000000";
            reply.stat.ephemeral_owner = k_session;
            reply.stat.czxid = 1;
            name_ = reply.path.substr(reply.path.rfind('/') + 1);
        } else if (std::holds_alternative<children_op>(request.op)) {
            reply.children = {name_};
        }
        arriving_.emplace(now_ + k_round_trip, std::move(reply));
    }

    setting setting_;
    session_core core_;
    time_point now_{100s};
    std::multimap<time_point, coordinator_event> arriving_;
    std::string name_;
    std::optional<duration> first_;
    std::optional<duration> least_;
    std::optional<duration> most_;
    bool lost_ = false;
};

std::string seconds(duration d) {
    return fmt::format("{:.1f}", std::chrono::duration<double>{d}.count());
}

// Plays many sessions. Each session is idle for some time, and then takes the lock and holds it for a long time. Prints
// the results as a row of the table.
void print(const setting& setting) {
    constexpr int k_phases = 200;
    std::optional<duration> first_least;
    std::optional<duration> first_most;
    std::optional<duration> least;
    std::optional<duration> most;
    int lost = 0;
    for (int phase = 0; phase != k_phases; ++phase) {
        measured measurement{setting};
        measurement.run_to(measurement.now() + 5 * setting.timeout +
                           setting.timeout * phase / k_phases);
        measurement.acquire_lock();
        measurement.run_to(measurement.now() + 3 * setting.timeout);
        if (measurement.first()) {
            first_least =
                std::min(first_least.value_or(*measurement.first()), *measurement.first());
            first_most = std::max(first_most.value_or(*measurement.first()), *measurement.first());
        }
        if (!measurement.first() || measurement.lost()) {
            ++lost;
            continue;
        }
        measurement.forget_extremes();
        measurement.run_to(measurement.now() + 20 * setting.timeout);
        if (measurement.lost()) ++lost;
        if (measurement.least())
            least = std::min(least.value_or(*measurement.least()), *measurement.least());
        if (measurement.most())
            most = std::max(most.value_or(*measurement.most()), *measurement.most());
    }
    const auto range = [](const std::optional<duration>& low, const std::optional<duration>& high) {
        if (!low) return std::string{"never granted"};
        return seconds(*low) + (*high - *low < 100ms ? "" : " to " + seconds(*high));
    };
    fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", setting.attached_to, setting.described,
               setting.relay_bound == duration{} ? "none" : seconds(setting.relay_bound),
               seconds(setting.timeout), range(first_least, first_most),
               lost > 0 ? "lost" : seconds(least.value_or(duration{})),
               lost > 0 ? "" : seconds(most.value_or(duration{})));
}

}  // namespace

int main() {
    fmt::print(
        "| server of the session | tick, syncLimit | relay bound R (the leader learns of a "
        "follower's answer within R) | "
        "session timeout S | lease left at the grant | least lease left later | most lease left "
        "later |\n");
    fmt::print("|---|---|---|---|---|---|---|\n");
    for (const auto timeout : {30s, 10s, 4s})
        print({"leader, standalone", "any", turnstile::server_role::leader, {}, timeout});
    for (const auto timeout : {40s, 30s, 24s, 20s, 18s, 15s, 12s})
        print({"follower", "2 s, 5", turnstile::server_role::follower, 12s, timeout});
    for (const auto timeout : {10s, 6s})
        print({"follower", "0.5 s, 5", turnstile::server_role::follower, 3s, timeout});
    print({"follower", "2 s, assumed stall 1 s", turnstile::server_role::follower, 2s, 10s});
    print({"follower", "2 s, assumed stall 4 s", turnstile::server_role::follower, 5s, 10s});
}
