// SPDX-License-Identifier: Apache-2.0
// Implements the faults of a single server: it stops, it ends and returns with less data, or its clock is set.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "simulation/single_server.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;
using remainder = single_server_plan::remainder;

constexpr double k_ahead = 0.6;

double seconds(core::duration length) {
    return std::chrono::duration<double>{length}.count();
}

}  // namespace

void single_server::strike(const fault_due& event, core::duration length) {
    switch (event.kind) {
        case fault::stall: return stand_still(length);
        case fault::server_restart: return end(false);
        case fault::leader_change: return end(scenario_.single.replicated);
        case fault::server_clock_step: return set_clock(length);
        case fault::server_slew: return slew();
        case fault::server_refuses:
            read_only_until_ = agenda_.now() + length;
            return disturb(read_only_until_);
        default: return;  // faults of an ensemble
    }
}

void single_server::stand_still(core::duration length) {
    busy_until_ = std::max(busy_until_, agenda_.now() + length);
    disturb(busy_until_);
}

// ---- the server's clock ---------------------------------------------------------------------

void single_server::set_clock(core::duration length) {
    const bool ahead = dice_.chance(k_ahead);
    const auto by = std::chrono::duration_cast<std::chrono::microseconds>(length);
    trace_.note(agenda_.now(), [&] {
        return fmt::format("by {:.3f} s {}", seconds(length), ahead ? "ahead" : "back");
    });
    clock_.set(agenda_.now(), ahead ? clock() + by : clock() - by);
    const auto timeout = scenario_.time.session_timeout;
    disturb(agenda_.now() + timeout);
    // A step back of the clock delays each session's deadline by the length of the step. Several steps add up.
    if (!ahead) return disturb(std::max(disturbed_until_, agenda_.now() + timeout) + by);
    was_set_ahead_ = true;
    set_ahead_ = agenda_.now();
}

void single_server::slew() {
    const auto most = scenario_.single.most_slew;
    if (most == 0) return;
    const auto extreme = dice_.below(3);
    const auto rate =
        extreme == 0 ? -most
        : extreme == 1
            ? most
            : static_cast<std::int64_t>(dice_.from_to(0, static_cast<std::uint64_t>(2 * most))) -
                  most;
    clock_.slew(agenda_.now(), rate);
}

// ---- the server's end -----------------------------------------------------------------------

// Ends the server. `for_good`: another server replaces it.
void single_server::end(bool for_good) {
    if (!up_) return;
    up_ = false;
    ++life_;
    const auto peers = std::exchange(peers_, {});
    attached_.clear();
    for (const auto& [by, each] : peers) {
        auto* on = network_.find(by);
        if (on == nullptr) continue;
        // Sometimes the server's machine ends as well, and then sends nothing to the clients.
        if (dice_.chance(0.3)) network_.cut(by);
        if (on->server_open) network_.close_by_server(by);
    }
    lose_data(for_good);
    const auto timeout = scenario_.time.session_timeout;
    const auto down = dice_.chance(0.7) ? dice_.up_to(timeout / 4) : dice_.up_to(2 * timeout);
    busy_until_ = agenda_.now();
    on_disk_ = agenda_.now();
    disturb(agenda_.now() + down);
    agenda_.after(down, server_is_back{life_});
    if (!for_good) return;
    // The new server's clock differs from the old server's clock by at most half of the time that the replacement
    // takes.
    const auto most = std::chrono::duration_cast<std::chrono::microseconds>(down / 2);
    const auto by = dice_.between(-core::duration{most}, core::duration{most});
    was_set_ahead_ = true;
    set_ahead_ = agenda_.now() + down;
    clock_.set(agenda_.now(), clock() + std::chrono::duration_cast<std::chrono::microseconds>(by));
}

void single_server::on(const server_is_back& event) {
    if (event.life != life_) return;
    up_ = true;
    trace_.note(agenda_.now(), [] { return std::string{"the server is back"}; });
}

// Loses all writes that are not safe yet, only the last of these writes, or none. If `for_good` is false and the
// scenario says remainder::none, the server loses all its data.
void single_server::lose_data(bool for_good) {
    const auto now = agenda_.now();
    while (!journal_.empty() && journal_.front().safe <= now) {
        (void)safe_.carry_out(journal_.front().done);
        journal_.pop_front();
    }
    const bool nothing_left = !for_good && scenario_.single.leaves == remainder::none;
    if (nothing_left) safe_ = first_;
    const auto left = nothing_left ? 0 : dice_.below(journal_.size() + 1);
    const bool loses = nothing_left || left != journal_.size();
    for (std::size_t i = 0; i != left; ++i) (void)safe_.carry_out(journal_[i].done);
    journal_.clear();
    kept_ = safe_;
    if (!loses) return;
    lost_data_ = lost_data_ || scenario_.single.leaves != remainder::all;
    trace_.note(now,
                [&] { return fmt::format("what came after {} is lost", kept_.tree().zxid()); });
    history_.on_lost_data(kept_.tree().zxid(), now, lost_data_);
    disturb(now + scenario_.time.session_timeout);
}

// ---- actions of operators -------------------------------------------------------------------

command single_server::outsiders() const {
    command wanted;
    wanted.now = clock();
    wanted.server = life_ + 1;
    return wanted;
}

void single_server::write_by_hand(core::operation&& op) {
    if (!up_) return;
    auto wanted = outsiders();
    wanted.request = command::by_hand{std::move(op), administrator_};
    (void)carry_out(std::move(wanted));
}

void single_server::close_by_hand(session_id session) {
    if (!up_) return;
    auto wanted = outsiders();
    wanted.request = command::close_by_hand{session};
    (void)carry_out(std::move(wanted));
}

void single_server::reap() {
    if (!up_) return;
    auto wanted = outsiders();
    wanted.request = command::reap{};
    (void)carry_out(std::move(wanted));
}

void single_server::end_what_is_due() {
    if (!up_) return;
    auto wanted = outsiders();
    wanted.request = look{false, true};
    (void)carry_out(std::move(wanted));
}

}  // namespace turnstile::simulation
