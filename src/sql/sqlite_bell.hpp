// SPDX-License-Identifier: Apache-2.0
// sqlite_bell: wakes a session of a SQLite file through inotify (file_bells). Three events wake the session:
// - Another session changes the times of this session's file.
// - Another process ends.
// - A component of the database file's path is renamed, or its rights change.
//
// Thread safety: one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "sql/database.hpp"
#include "sql/session_files.hpp"
#include "support/descriptor.hpp"
#include "support/wake_up.hpp"

namespace turnstile::sql {

// Calls a session's handler when another process has closed a file or changed the file's attributes (inotify).
//
//     auto bells = file_bells::of_this_process();
//     bells->listen("/data/locks.db-sessions/17", IN_ATTRIB, [&](std::string_view) { woken.set(); });
//
// All sessions of a process share one inotify instance and one thread, because Linux limits the instances of a user (to
// 128 by default). The object exists as long as a session uses it. After fork(), the child neither uses nor frees the
// parent's object.
//
// Thread safety: all members from any thread, but not from a handler.
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
    support::wake_up ended_;
    base::mutex mutex_;
    token last_ GUARDED_BY(mutex_) = 0;
    std::map<token, listener> listeners_ GUARDED_BY(mutex_);
    std::unique_ptr<std::thread> thread_;
};

class sqlite_bell {
public:
    sqlite_bell() = default;
    ~sqlite_bell() { close(); }
    sqlite_bell(const sqlite_bell&) = delete;
    sqlite_bell& operator=(const sqlite_bell&) = delete;

    // `path`: the path of the database file. Throws std::system_error.
    void open(const std::string& path, const session_files& sessions, std::int64_t session);
    void close() noexcept;
    // True if a component of the file's path was renamed, or its rights changed, since the last call.
    [[nodiscard]] bool take_renamed() noexcept { return renamed_.exchange(false); }
    // Implements database::wait.
    [[nodiscard]] database::woken wait(int caller, boottime_clock::time_point until);

private:
    support::wake_up rung_;
    std::atomic<bool> departure_{false};
    std::atomic<bool> renamed_{false};
    std::shared_ptr<file_bells> bells_;
    std::vector<file_bells::token> heard_;
};

}  // namespace turnstile::sql
