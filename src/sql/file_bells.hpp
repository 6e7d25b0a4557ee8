// SPDX-License-Identifier: Apache-2.0
// file_bells: calls a session's handler when another process has closed a file or changed the file's attributes
// (inotify).
//
//     auto bells = file_bells::of_this_process();
//     bells->listen("/data/locks.db-sessions/17", IN_ATTRIB, [&](std::string_view) { woken.set(); });
//
// All sessions of a process share one inotify instance and one thread, because Linux limits the instances of a user (to
// 128 by default). The object exists as long as a session uses it. After fork(), the child neither uses nor frees the
// parent's object.
//
// Thread safety: all members from any thread, but not from a handler.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "base/wake_up.hpp"
#include "support/descriptor.hpp"

namespace turnstile::sql {

class file_bells {
public:
    // Called on the inotify thread. `name`: the name of the file if the listener watches a folder; otherwise empty.
    using handler = std::function<void(std::string_view name)>;
    using token = std::uint64_t;

    // Throws std::system_error if the process gets no inotify instance or no thread.
    [[nodiscard]] static std::shared_ptr<file_bells> of_this_process();

    file_bells();
    ~file_bells();
    file_bells(const file_bells&) = delete;
    file_bells& operator=(const file_bells&) = delete;

    // Calls `heard` at each event of the file or folder. `mask`: the events, as inotify numbers them. All listeners of
    // one path must use the same mask. Throws std::system_error.
    [[nodiscard]] token listen(const std::string& path, std::uint32_t mask, handler heard)
        EXCLUDES(mutex_);
    // Removes the listener. Its handler is not called after the return.
    void leave(token listener) EXCLUDES(mutex_);

private:
    struct listener {
        int watch = -1;
        handler heard;
    };

    void run() EXCLUDES(mutex_);
    void read_events() EXCLUDES(mutex_);

    const base::process_mark process_;
    const support::descriptor inotify_;
    base::wake_up ended_;
    base::mutex mutex_;
    token last_ GUARDED_BY(mutex_) = 0;
    std::map<token, listener> listeners_ GUARDED_BY(mutex_);
    std::unique_ptr<std::thread> thread_;
};

}  // namespace turnstile::sql
