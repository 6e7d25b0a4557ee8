// SPDX-License-Identifier: Apache-2.0
#include "contract/probe.hpp"

#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::contract {
namespace {

constexpr std::chrono::seconds k_session_timeout{60};

core::session_settings settings_with(const std::string& credentials) {
    core::session_settings settings;
    settings.timeout = k_session_timeout;
    settings.credentials = credentials;
    settings.detect_role = false;
    settings.mark = false;  // creating a mark znode takes a zxid, and the model has no mark
    return settings;
}

}  // namespace

probe::probe(core::coordinator& servers, const std::string& credentials)
    : session_{servers.open(settings_with(credentials), *this)} {
    std::unique_lock held{mutex_};
    wait_until(held, "the connection", [this] { return !links_.empty(); });
    attached_ = links_.front();
    if (attached_.kind != core::link_kind::attached) throw std::runtime_error{"not attached"};
}

core::ticket probe::submit(core::operation op, bool with_next) {
    const core::ticket id{++last_ticket_};
    if (with_next) {
        session_->submit_with_next({id, std::move(op)});
    } else {
        session_->submit({id, std::move(op)});
    }
    return id;
}

core::reply probe::wait(core::ticket id) {
    std::unique_lock held{mutex_};
    wait_until(held, "a reply", [&] { return replies_.contains(id); });
    core::reply r = std::move(replies_.at(id));
    replies_.erase(id);
    return r;
}

core::reply probe::ask(core::operation op) {
    const auto id = submit(std::move(op));
    return last_ticket_ % 2 == 0 ? wait(id) : read(id);
}

core::reply probe::read(core::ticket id) {
    const auto until = boottime_clock::now() + testing::limit();
    const auto is_there = [&] {
        const std::lock_guard held{mutex_};
        return replies_.contains(id);
    };
    while (!is_there() && session_->help(until)) {
    }
    return wait(id);
}

void probe::forget(const std::string& path) {
    session_->forget_watches(path);
    settle();
}

// This read's answer arrives after the answers to earlier requests, and after all earlier events. So the session has
// settled when the answer is there.
void probe::begin_settling() {
    if (!settling_) settling_ = submit(core::exists_op{"/", core::watch_mode::none});
}

void probe::settle() {
    begin_settling();
    const auto asked = *std::exchange(settling_, {});
    const core::reply r = last_ticket_ % 2 == 0 ? wait(asked) : read(asked);
    const std::lock_guard held{mutex_};
    std::erase(heard_, "reply " + std::to_string(static_cast<std::uint64_t>(r.id)));
}

std::vector<std::string> probe::events() {
    settle();
    const std::lock_guard held{mutex_};
    heard_.clear();
    return std::exchange(events_, {});
}

std::vector<std::string> probe::heard() {
    settle();
    const std::lock_guard held{mutex_};
    events_.clear();
    return std::exchange(heard_, {});
}

std::string probe::next_event() {
    std::unique_lock held{mutex_};
    wait_until(held, "an event", [this] { return !events_.empty(); });
    std::string first = events_.front();
    events_.erase(events_.begin());
    std::erase(heard_, first);
    return first;
}

void probe::close() {
    if (session_) session_->close();
    session_.reset();
}

void probe::deliver(core::coordinator_event&& event) noexcept {
    const std::lock_guard held{mutex_};
    if (auto* reply = std::get_if<core::reply>(&event)) {
        heard_.push_back("reply " + std::to_string(static_cast<std::uint64_t>(reply->id)));
        replies_.emplace(reply->id, std::move(*reply));
    } else if (const auto* watch = std::get_if<core::watch_event>(&event)) {
        heard_.push_back(to_string(*watch));
        events_.push_back(to_string(*watch));
    } else {
        links_.push_back(std::get<core::link_event>(event));
    }
    changed_.notify_all();
}

template <class Predicate>
void probe::wait_until(std::unique_lock<std::mutex>& held, const char* context,
                       Predicate&& is_there) {
    const testing::test_deadline until;
    if (!changed_.wait_until(held, until.at(), std::forward<Predicate>(is_there))) {
        throw std::runtime_error{std::string{"waited in vain for "} + context};
    }
}

std::string to_string(const core::watch_event& event) {
    static constexpr std::array k_names{"created ", "deleted ", "changed ", "children "};
    return k_names.at(static_cast<std::size_t>(event.kind)) + event.path;
}

std::string to_string(core::server_error error) {
    static constexpr std::array k_names{"ok",
                                        "no_node",
                                        "node_exists",
                                        "not_empty",
                                        "bad_version",
                                        "no_auth",
                                        "invalid_acl",
                                        "no_children_for_ephemerals",
                                        "bad_arguments",
                                        "unimplemented",
                                        "not_read_only",
                                        "rolled_back",
                                        "session_expired",
                                        "session_moved",
                                        "auth_failed",
                                        "quota_exceeded",
                                        "throttled",
                                        "local_session",
                                        "other"};
    return k_names.at(static_cast<std::size_t>(error));
}

}  // namespace turnstile::contract
