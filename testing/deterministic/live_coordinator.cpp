// SPDX-License-Identifier: Apache-2.0
#include "deterministic/live_coordinator.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/path.hpp"
#include "schedule/scheduler.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile::deterministic {

namespace {

constexpr double k_impatient = 0.5;

}  // namespace

live_session::live_session(live_servers& servers, const core::session_settings& settings,
                           core::session_sink& sink, const local::chroot& root)
    : servers_{servers}, settings_{settings}, sink_{sink}, root_{root} {
    const auto process = schedule::scheduler::of_this_thread()->process();
    servers_.enter([&] { handle_ = servers_.open(*this, process, id_); });
    thread_ = boost::thread{[this] { run(); }};
}

live_session::~live_session() {
    live_session::close();
}

// ---- calls by the client's threads ------------------------------------------------------------

void live_session::submit(core::request&& request) {
    const auto now = boottime_clock::now();
    root_.to_server(request.op);
    servers_.enter([&] {
        if (!ended_) handle_->submit(std::move(request), now);
        collect();
    });
}

void live_session::forget_watches(const std::string& path) {
    servers_.enter([&] {
        if (!ended_) handle_->forget_watches(root_.to_server(path));
    });
}

void live_session::seek_leader(std::uint64_t connection) {
    servers_.enter([&] {
        if (!ended_) handle_->seek_leader(connection);
        collect();
    });
}

void live_session::look_for_another(const core::look_elsewhere& wanted) {
    servers_.enter([&] {
        if (!ended_) handle_->look_for_another(wanted);
        collect();
    });
}

void live_session::leave_server(std::uint64_t connection) {
    servers_.enter([&] {
        if (!ended_) handle_->leave_server(connection);
        collect();
    });
}

core::session_identity live_session::identity() const {
    return servers_.enter([this] { return core::session_identity{session_, {}}; });
}

void live_session::end(simulation::server_session::ending how) noexcept {
    const bool first = servers_.enter([&] {
        if (std::exchange(ended_, true)) return false;
        handle_->end(how);
        servers_.forget(id_);
        changed_.notify_all();
        return true;
    });
    if (!first) return;
    const boost::this_thread::disable_interruption uninterrupted;
    thread_.join();
}

// ---- calls by the servers ---------------------------------------------------------------------

void live_session::arrive(planned_event&& event) {
    arrived_.push_back(std::move(event));
    changed_.notify_all();
}

void live_session::crash() {
    ended_ = true;
    handle_->end(simulation::server_session::ending::crashed);
}

// ---- the work of the session's own thread -----------------------------------------------------

void live_session::run() {
    base::unique_lock lock{servers_.mutex()};
    for (;;) {
        while (!ended_ && arrived_.empty() && told_.empty()) changed_.wait(lock);
        if (ended_) return;
        if (!told_.empty()) {
            auto next = std::move(told_.front());
            told_.pop_front();
            lock.unlock();
            deliver(std::move(next));
            lock.lock();
            continue;
        }
        servers_.act_now([this] {
            if (arrived_.empty()) return;  // the session may have ended during these messages
            const auto event = std::move(arrived_.front());
            arrived_.pop_front();
            if (!give_up_after_a_stop()) take_in(event);
            awake_at_ = servers_.now();
            collect();
        });
    }
}

// After a pause, the real client reads the clock before it reads messages. So it may give up a server whose messages
// have arrived.
bool live_session::give_up_after_a_stop() {
    const auto connection = handle_->connection();
    const auto silence = servers_.plans().time.session_timeout * 2 / 3;
    if (!connection || arrived_.size() < 2 || servers_.now() - awake_at_ <= silence) return false;
    if (!servers_.chance().chance(k_impatient)) return false;
    handle_->notice_break(*connection);
    return true;
}

void live_session::take_in(const planned_event& event) {
    using namespace simulation;
    std::visit(
        [this](const auto& each) {
            using E = std::decay_t<decltype(each)>;
            if constexpr (std::is_same_v<E, at_client>) {
                const auto* by = servers_.links().find(each.connection);
                if (by != nullptr && !by->cut) handle_->receive(each.connection, each.message);
            } else if constexpr (std::is_same_v<E, client_notices>) {
                handle_->notice_break(each.connection);
            } else if constexpr (std::is_same_v<E, silence_due>) {
                handle_->check_silence(each.connection);
            } else if constexpr (std::is_same_v<E, role_learned>) {
                handle_->learn_role(each.connection, each.role);
            } else if constexpr (std::is_same_v<E, leader_told>) {
                handle_->learn_leader(each.connection, each.leader);
            } else if constexpr (std::is_same_v<E, found_elsewhere>) {
                handle_->find_elsewhere(each.connection);
            } else if constexpr (std::is_same_v<E, connect_due>) {
                handle_->connect();
            }
        },
        event);
}

void live_session::collect() {
    if (ended_) return;
    (void)handle_->take_woken();
    for (auto& event : handle_->take()) {
        if (const auto* link = std::get_if<core::link_event>(&event)) session_ = link->session_id;
        told_.push_back(std::move(event));
    }
    if (!told_.empty()) changed_.notify_all();
}

void live_session::deliver(core::coordinator_event&& event) {
    if (auto* told = std::get_if<core::link_event>(&event)) {
        const auto& time = servers_.plans().time;
        const bool tells = told->kind == core::link_kind::role_known &&
                           told->role != server_role::unknown && settings_.learn_pace;
        if (tells) told->pace = core::server_pace{time.tick, time.sync_limit};
    } else if (auto* answer = std::get_if<core::reply>(&event)) {
        root_.to_client(*answer);
    } else if (auto* fired = std::get_if<core::watch_event>(&event)) {
        fired->path = root_.to_client(fired->path);
    }
    sink_.deliver(std::move(event));
}

namespace {

std::string chroot_of(std::string_view connect_string) {
    const auto hosts = std::min(connect_string.find('/'), connect_string.size());
    if (hosts == 0)
        throw_error(
            {errc::bad_connect_string, "'" + std::string{connect_string} + "' names no server"});
    auto chroot = std::string{connect_string.substr(hosts)};
    if (chroot.empty() || chroot == "/") return {};
    base::validate_path(chroot).value();
    return chroot;
}

}  // namespace

live_coordinator::live_coordinator(live_servers& servers, std::string_view connect_string)
    : servers_{servers}, text_{connect_string}, root_{chroot_of(connect_string)} {
    if (!root_.prefix().empty()) servers_.make_by_hand(root_.prefix());
}

std::unique_ptr<core::coordinator_session> live_coordinator::open(
    const core::session_settings& settings, core::session_sink& sink) {
    return std::make_unique<live_session>(servers_, settings, sink, root_);
}

turnstile::promises live_coordinator::promises() const {
    return {.exclusion = exclusion_promise::proved,
            .order = order_promise::arrival,
            .waiting = waiting_promise::notified,
            .failover = failover_promise::survives,
            .loss = loss_promise::told,
            .token = token_promise::grows,
            .writes = write_promise::guarded,
            .crash = crash_promise::session_timeout,
            .scope = scope_promise::cluster};
}

}  // namespace turnstile::deterministic
