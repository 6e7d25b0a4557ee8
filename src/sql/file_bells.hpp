// SPDX-License-Identifier: Apache-2.0
// file_bells: lets the sessions of this process notice that another process has closed a file or changed its attributes
// (inotify).
//
//     auto bells = file_bells::of_this_process();
//     bells->listen("/data/locks.db-sessions/17", IN_ATTRIB, [&](std::string_view) { woken.set(); });
//
// The process has one inotify instance and one thread for this, because a system allows a user only few instances (128
// by default). The object exists as long as a session uses it. A forked child does not use or free the parent's object.
//
// Thread safety: all members from any thread except the thread of the bells.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "support/descriptor.hpp"

namespace turnstile::sql {

class file_bells {
public:
    // `name`: the name of the file if the listener watches a folder; empty if it watches a file. Called on the thread
    // of the bells.
    using handler = std::function<void(std::string_view name)>;
    using token = std::uint64_t;

    // Throws std::system_error if the process gets no inotify instance or no thread.
    [[nodiscard]] static std::shared_ptr<file_bells> of_this_process();

    file_bells();
    ~file_bells();
    file_bells(const file_bells&) = delete;
    file_bells& operator=(const file_bells&) = delete;

    // Calls `heard` at each event of the file or folder. `mask`: inotify's mask, which must be equal for all listeners
    // of one path. Throws std::system_error.
    [[nodiscard]] token listen(const std::string& path, std::uint32_t mask, handler heard)
        EXCLUDES(mutex_);
    // After this call, the thread no longer calls the handler of this listener.
    void leave(token listener) EXCLUDES(mutex_);

private:
    struct listener {
        int watch = -1;
        handler heard;
    };

    void run() EXCLUDES(mutex_);
    void read_events() EXCLUDES(mutex_);

    const std::uint64_t process_;
    const support::descriptor inotify_;
    base::wake_up ended_;
    base::mutex mutex_;
    token last_ GUARDED_BY(mutex_) = 0;
    std::map<token, listener> listeners_ GUARDED_BY(mutex_);
    std::unique_ptr<std::thread> thread_;
};

}  // namespace turnstile::sql
