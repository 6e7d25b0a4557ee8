// SPDX-License-Identifier: Apache-2.0
// turnstile_lease_table: what the lease's rule leaves of a hold, for docs/why/lease.md: the shipped core on
// one faultless connection with a round trip of 10 ms, in virtual time.
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
constexpr acquisition_id k_hold{1};
constexpr std::int64_t k_session = 7;

struct setting {
    std::string_view attached_to;
    std::string_view described;
    server_role role;
    duration relay_bound;
    duration timeout;
};

class measured {
public:
    explicit measured(const setting& what) : setting_{what}, core_{settings(what)} {
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
        call.who = k_hold;
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
    static session_core_settings settings(const setting& what) {
        session_core_settings made;
        made.lease.relay_bound = what.relay_bound;
        made.lease.clock_drift = 0.001;
        made.retry_first = 50ms;
        made.retry_longest = 1s;
        return made;
    }

    void note_remaining() {
        if (!first_ || lost_) return;
        const auto left = core_.session_lease().valid_until() - now_;
        least_ = std::min(least_.value_or(left), left);
        most_ = std::max(most_.value_or(left), left);
    }

    void execute() {
        for (auto& one : core_.take()) {
            if (auto* request = std::get_if<submit>(&one)) {
                answer_later(request->what);
            } else if (std::holds_alternative<open_session>(one)) {
                attach_later();
            } else if (const auto* told = std::get_if<notice>(&one)) {
                if (std::holds_alternative<granted>(told->event))
                    first_ = core_.session_lease().valid_until() - now_;
                if (std::holds_alternative<turnstile::core::lost>(told->event)) lost_ = true;
            }
        }
    }

    void attach_later() {
        link_event made;
        made.kind = link_kind::attached;
        made.connection = 1;
        made.session_id = k_session;
        made.timeout = setting_.timeout;
        made.role = setting_.role;
        arriving_.emplace(now_ + k_round_trip, made);
    }

    void answer_later(const request& what) {
        reply made;
        made.id = what.id;
        made.outcome = outcome::answered;
        made.connection = 1;
        made.sent = now_;
        if (const auto* create = std::get_if<create_op>(&what.op)) {
            made.path = create->path + "0000000000";
            made.stat.ephemeral_owner = k_session;
            made.stat.czxid = 1;
            name_ = made.path.substr(made.path.rfind('/') + 1);
        } else if (std::holds_alternative<children_op>(what.op)) {
            made.children = {name_};
        }
        arriving_.emplace(now_ + k_round_trip, std::move(made));
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

// The lock is taken at many phases of the idle time, and held for long.
void print(const setting& what) {
    constexpr int k_phases = 200;
    std::optional<duration> first_least;
    std::optional<duration> first_most;
    std::optional<duration> least;
    std::optional<duration> most;
    int lost = 0;
    for (int phase = 0; phase != k_phases; ++phase) {
        measured one{what};
        one.run_to(one.now() + 5 * what.timeout + what.timeout * phase / k_phases);
        one.acquire_lock();
        one.run_to(one.now() + 3 * what.timeout);
        if (one.first()) {
            first_least = std::min(first_least.value_or(*one.first()), *one.first());
            first_most = std::max(first_most.value_or(*one.first()), *one.first());
        }
        if (!one.first() || one.lost()) {
            ++lost;
            continue;
        }
        one.forget_extremes();
        one.run_to(one.now() + 20 * what.timeout);
        if (one.lost()) ++lost;
        if (one.least()) least = std::min(least.value_or(*one.least()), *one.least());
        if (one.most()) most = std::max(most.value_or(*one.most()), *one.most());
    }
    const auto range = [](const std::optional<duration>& low, const std::optional<duration>& high) {
        if (!low) return std::string{"never granted"};
        return seconds(*low) + (*high - *low < 100ms ? "" : " to " + seconds(*high));
    };
    fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", what.attached_to, what.described,
               what.relay_bound == duration{} ? "none" : seconds(what.relay_bound),
               seconds(what.timeout), range(first_least, first_most),
               lost > 0 ? "lost" : seconds(least.value_or(duration{})),
               lost > 0 ? "" : seconds(most.value_or(duration{})));
}

}  // namespace

int main() {
    fmt::print("| attached to | tick, syncLimit | R | S | first | least | most |\n");
    fmt::print("|---|---|---|---|---|---|---|\n");
    for (const auto timeout : {30s, 10s, 4s})
        print({"leader, standalone", "any", server_role::leader, {}, timeout});
    for (const auto timeout : {40s, 30s, 24s, 20s, 18s, 15s, 12s})
        print({"follower", "2 s, 5", server_role::follower, 12s, timeout});
    for (const auto timeout : {10s, 6s})
        print({"follower", "0.5 s, 5", server_role::follower, 3s, timeout});
    print({"follower", "2 s, assumed stall 1 s", server_role::follower, 2s, 10s});
    print({"follower", "2 s, assumed stall 4 s", server_role::follower, 5s, 10s});
}
