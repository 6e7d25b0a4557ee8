// SPDX-License-Identifier: Apache-2.0
// world: one tree of the in-memory back end, with its sessions and the thread that serves them.
//
// All clients of a process with the same tree name ("local:name") share one world. The world exists as long as one of
// these clients exists.
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

// Thread safety: all members from any thread. Each member posts a task to the world's thread, which runs the tasks in
// order and calls the sinks, which receive the sessions' events. Only `close` and `inspect` wait until their task has
// run.
class world {
public:
    explicit world(std::string name) : name_{std::move(name)} {}

    // Returns the world with this name; makes the world if it does not exist.
    [[nodiscard]] static std::shared_ptr<world> named(const std::string& name);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    void open(const std::shared_ptr<link>& session);
    void submit(const std::shared_ptr<link>& session, core::request&& request);
    void forget_watches(const std::shared_ptr<link>& session, const std::string& path);
    void close(const std::shared_ptr<link>& session);

    // ---- faults that a test causes; most of them affect one session ----
    void set_traffic(session_id session, traffic t);
    void stall_after(session_id session, std::size_t requests);
    void detach(session_id session);
    void attach(session_id session);
    void expire(session_id session);
    // Chooses whether sessions that open later are connected. `allowed` also connects the sessions that were refused
    // before.
    enum class connecting { allowed, refused };
    void set_connecting(connecting c);
    void reap();
    // Runs `look` on the world's thread, and waits for its return. Changes by `look` fire no watches.
    void inspect(const std::function<void(tree&)>& look);

private:
    void execute(link& session, core::request&& request, core::time_point sent);
    void hear(const std::vector<fired_watch>& events);
    void reap_now_and_then();
    void with(session_id session, std::function<void(link&)> action);

    const std::string name_;
    // Only the world's thread uses the following members.
    tree tree_;
    std::map<session_id, std::shared_ptr<link>> links_;  // sessions that have or had a connection
    std::vector<std::shared_ptr<link>> connecting_;      // sessions that have had no connection yet
    connecting may_connect_ = connecting::allowed;
    core::time_point last_reap_{};
    // The destructor of `thread_` waits for its tasks, which use the members above. So `thread_` must be the last
    // member.
    serial_thread thread_;
};

}  // namespace turnstile::local
