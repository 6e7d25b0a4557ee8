// SPDX-License-Identifier: Apache-2.0
#include "local/world.hpp"

#include <chrono>
#include <utility>

#include "base/mutex.hpp"
#include "base/process.hpp"

namespace turnstile::local {
namespace {

constexpr std::chrono::seconds k_reap_interval{60};  // the servers' default

std::int64_t wall_clock_ms() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

struct world_table {
    base::mutex mutex;
    std::map<std::string, std::weak_ptr<world>> by_name GUARDED_BY(mutex);
};

world_table& worlds_of_this_process() {
    static base::per_process<world_table> all;
    return all.get();
}

}  // namespace

std::shared_ptr<world> world::named(const std::string& name) {
    world_table& all = worlds_of_this_process();
    const base::lock_guard lock{all.mutex};
    if (const auto known = all.by_name.find(name); known != all.by_name.end())
        if (auto found = known->second.lock()) return found;
    std::erase_if(all.by_name, [](const auto& entry) { return entry.second.expired(); });
    auto created = std::make_shared<world>(name);
    all.by_name.insert_or_assign(name, created);
    return created;
}

void world::open(const std::shared_ptr<link>& session) {
    thread_.post([this, session] {
        if (may_connect_ == connecting::refused) {
            connecting_.push_back(session);
            return;
        }
        session->attach(tree_);
        links_.emplace(session->id(), session);
    });
}

void world::submit(const std::shared_ptr<link>& session, core::request&& request) {
    const core::time_point sent = boottime_clock::now();
    thread_.post([this, session, sent, request = std::move(request)]() mutable {
        execute(*session, std::move(request), sent);
        reap_now_and_then();
    });
}

void world::forget_watches(const std::shared_ptr<link>& session, const std::string& path) {
    thread_.post([this, session, path] { session->forget_watches(tree_, path); });
}

void world::close(const std::shared_ptr<link>& session) {
    session->mute();
    thread_.run([this, &session] {
        std::erase(connecting_, session);
        links_.erase(session->id());
        hear(tree_.close_session(session->id()));
    });
}

void world::set_traffic(session_id session, traffic t) {
    with(session, [t](link& found) { found.set_traffic(t); });
}

void world::stall_after(session_id session, std::size_t requests) {
    with(session, [requests](link& found) { found.stall_after(requests); });
}

void world::detach(session_id session) {
    with(session, [this](link& found) { found.detach(tree_); });
}

void world::attach(session_id session) {
    with(session, [this](link& found) { found.attach(tree_); });
}

void world::expire(session_id session) {
    with(session, [this](link& found) {
        hear(tree_.close_session(found.id()));
        found.detach(tree_);
        found.expire();
    });
}

void world::set_connecting(connecting c) {
    thread_.post([this, c] {
        may_connect_ = c;
        if (c == connecting::refused) return;
        for (const std::shared_ptr<link>& session : std::exchange(connecting_, {})) {
            session->attach(tree_);
            links_.emplace(session->id(), session);
        }
    });
}

void world::reap() {
    thread_.post([this] { hear(tree_.reap()); });
}

void world::inspect(const std::function<void(tree&)>& look) {
    thread_.run([&] { look(tree_); });
}

void world::execute(link& session, core::request&& request, core::time_point sent) {
    if (!session.accept(request, sent)) return;
    applied done = tree_.apply(session.id(), request.op, wall_clock_ms());
    hear(done.events);
    session.answer(request, sent, std::move(done.reply), tree_.zxid());
}

void world::hear(const std::vector<fired_watch>& events) {
    for (const fired_watch& event : events) {
        const auto found = links_.find(event.session);
        if (found != links_.end()) found->second->hear(event);
    }
}

// Only a request can make a container znode empty. So the world removes empty containers after a request, at most once
// per interval, and needs no timer.
void world::reap_now_and_then() {
    const core::time_point now = boottime_clock::now();
    if (now - last_reap_ < k_reap_interval) return;
    last_reap_ = now;
    hear(tree_.reap());
}

void world::with(session_id session, std::function<void(link&)> action) {
    thread_.post([this, session, action = std::move(action)] {
        const auto found = links_.find(session);
        if (found != links_.end()) action(*found->second);
    });
}

}  // namespace turnstile::local
