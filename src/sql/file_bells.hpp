// SPDX-License-Identifier: Apache-2.0
// file_bells: reports files that another process touched or closed (inotify), for all sessions of this process.
//
//     auto bells = file_bells::of_this_process();
//     bells->listen("/data/locks.db-sessions/17", IN_ATTRIB, [&](std::string_view) { woken.set(); });
//
// One inotify instance and one thread per process: a system allows a user few instances (128, by default). The object
// lives as long as its users do. A forked child does not use or free the parent's object.
//
// Thread safety: all members from any thread but the bells' own.
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
    // `name`: the file in the watched folder; empty for a file. Runs on the bells' thread.
    using handler = std::function<void(std::string_view name)>;
    using token = std::uint64_t;

    // Throws std::system_error: no inotify instance, no thread.
    [[nodiscard]] static std::shared_ptr<file_bells> of_this_process();

    file_bells();
    ~file_bells();
    file_bells(const file_bells&) = delete;
    file_bells& operator=(const file_bells&) = delete;

    // `mask`: inotify's; all listeners of one path must use the same mask. Throws std::system_error.
    [[nodiscard]] token listen(const std::string& path, std::uint32_t mask, handler heard)
        EXCLUDES(mutex_);
    // After this call `heard` runs no more.
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
