// SPDX-License-Identifier: Apache-2.0
// world: one tree of the in-memory back end, with the sessions on it and the thread that serves
// them.
//
// All clients of a process that name the same tree ("local:name") share one world. It lives as long
// as one of them does; its znodes go with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/link.hpp"
#include "local/serial_thread.hpp"
#include "local/tree.hpp"

namespace turnstile::local {

// Thread safety: all members from any thread. What they ask for happens later, on the world's
// thread, in the order of the calls; `close` and `inspect` wait for that. Sinks are called on that
// thread.
class world {
public:
    explicit world(std::string name) : name_{std::move(name)} {}

    // The world of this name, made if there is none.
    [[nodiscard]] static std::shared_ptr<world> named(const std::string& name);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    void open(const std::shared_ptr<link>& session);
    void submit(const std::shared_ptr<link>& session, core::request&& request);
    void forget_watches(const std::shared_ptr<link>& session, const std::string& path);
    void close(const std::shared_ptr<link>& session);

    // ---- faults, by session id ----
    void set_traffic(session_id session, traffic t);
    void stall_after(session_id session, std::size_t requests);
    void detach(session_id session);
    void attach(session_id session);
    void expire(session_id session);
    // While refused, sessions that are opened get no connection; allowing it attaches them.
    enum class connecting { allowed, refused };
    void set_connecting(connecting c);
    // Lets the container cleaner make its round now.
    void reap();
    // Runs `look` on the world's thread, and waits. The tree may be changed; watches do not fire.
    void inspect(const std::function<void(tree&)>& look);

private:
    void execute(link& session, core::request&& request, core::time_point sent);
    void hear(const std::vector<fired_watch>& events);
    void reap_now_and_then();
    void with(session_id session, std::function<void(link&)> action);

    const std::string name_;
    // On the world's thread alone.
    tree tree_;
    std::map<session_id, std::shared_ptr<link>> links_;  // that have or had a connection
    std::vector<std::shared_ptr<link>> connecting_;      // that have had none yet
    connecting may_connect_ = connecting::allowed;
    core::time_point last_reap_{};
    // Last: its end waits for the tasks, which use the members above.
    serial_thread thread_;
};

}  // namespace turnstile::local
