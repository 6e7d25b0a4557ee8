// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite_bell.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "sql/sqlite_file.hpp"
#include "support/poll_time.hpp"
#include "support/signals.hpp"

namespace turnstile::sql {
namespace {

support::descriptor new_inotify() {
    support::descriptor instance{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
    if (!instance.open())
        throw std::system_error{errno, std::generic_category(),
                                "no inotify instance (see fs.inotify.max_user_instances)"};
    return instance;
}

struct shared_bells {
    base::mutex mutex;
    std::weak_ptr<file_bells> living GUARDED_BY(mutex);
};

}  // namespace

std::shared_ptr<file_bells> file_bells::of_this_process() {
    static base::per_process<shared_bells> all;
    shared_bells& here = all.get();
    const base::lock_guard lock{here.mutex};
    if (auto found = here.living.lock()) return found;
    auto bells = std::make_shared<file_bells>();
    here.living = bells;
    return bells;
}

file_bells::file_bells() : inotify_{new_inotify()} {
    const support::block_signals none_here;
    thread_ = std::make_unique<std::thread>([this] {
        base::name_this_thread("turnstile-bells");
        base::finish_or_end("the thread that watches files", [this] { run(); });
    });
}

file_bells::~file_bells() {
    if (process_.forked()) {
        static_cast<void>(thread_.release());  // the thread exists only in the parent process
        return;
    }
    ended_.set();
    thread_->join();
}

file_bells::token file_bells::listen(const std::string& path, std::uint32_t mask, handler heard) {
    const base::lock_guard lock{mutex_};
    const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), mask);
    if (watch < 0) throw std::system_error{errno, std::generic_category(), "cannot watch " + path};
    listeners_.emplace(++last_, listener{watch, std::move(heard)});
    return last_;
}

void file_bells::leave(token gone) {
    const base::lock_guard lock{mutex_};
    const auto found = listeners_.find(gone);
    if (found == listeners_.end()) return;
    const int watch = found->second.watch;
    listeners_.erase(found);
    const bool last = std::none_of(listeners_.begin(), listeners_.end(),
                                   [&](const auto& other) { return other.second.watch == watch; });
    if (last) ::inotify_rm_watch(inotify_.get(), watch);
}

void file_bells::run() {
    for (;;) {
        std::array<pollfd, 2> waited{{{inotify_.get(), POLLIN, 0}, {ended_.fd(), POLLIN, 0}}};
        ::poll(waited.data(), waited.size(), -1);
        if (waited[1].revents != 0) return;
        if (waited[0].revents != 0) read_events();
    }
}

// If the kernel's queue overflows (IN_Q_OVERFLOW, watch -1), the kernel has dropped unknown events, so this function
// calls all listeners.
void file_bells::read_events() {
    alignas(inotify_event) std::array<char, 16384> room{};
    const ssize_t got = ::read(inotify_.get(), room.data(), room.size());
    const base::lock_guard lock{mutex_};
    for (ssize_t at = 0; at < got;) {
        inotify_event event{};
        std::memcpy(&event, room.data() + at, sizeof event);
        const char* const name = room.data() + at + sizeof event;
        const std::string_view text = event.len > 0 ? std::string_view{name} : std::string_view{};
        for (const auto& [id, each] : listeners_)
            if (each.watch == event.wd || event.wd < 0) each.heard(text);
        at += static_cast<ssize_t>(sizeof event + event.len);
    }
}

void sqlite_bell::open(const std::string& path, const session_files& sessions,
                       std::int64_t session) {
    close();
    bells_ = file_bells::of_this_process();
    heard_.push_back(bells_->listen(sessions.path_of(session), IN_ATTRIB,
                                    [this](std::string_view) { rung_.set(); }));
    const auto renamed = [this](std::string_view) {
        renamed_ = true;
        rung_.set();
    };
    const std::uint32_t changes = IN_ATTRIB | IN_MOVE_SELF | IN_DONT_FOLLOW;
    for (const auto& name : find_route(path).names) {
        // inotify does not report changes of a folder that this process may not read. sqlite_database::check_in_place()
        // detects such changes before the next write.
        if (::access(name.c_str(), R_OK) == 0)
            heard_.push_back(bells_->listen(name, changes, renamed));
    }
    const auto departed = [this, folder = sessions.folder(),
                           own = std::to_string(session)](std::string_view name) {
        if (name == own) return;
        // A client that closes its session removes the session's file before it closes the file. If the file still
        // exists, the process has died.
        std::error_code failed;
        if (!std::filesystem::exists(folder / name, failed)) return;
        departure_ = true;
        rung_.set();
    };
    heard_.push_back(bells_->listen(sessions.folder(), IN_CLOSE_WRITE, departed));
}

void sqlite_bell::close() noexcept {
    for (const file_bells::token each : std::exchange(heard_, {})) bells_->leave(each);
    bells_.reset();
}

database::woken sqlite_bell::wait(int caller, boottime_clock::time_point until) {
    std::array<pollfd, 2> waited{{{caller, POLLIN, 0}, {rung_.fd(), POLLIN, 0}}};
    support::await_any(waited, until);
    if (waited[1].revents != 0) {
        rung_.clear();
        return departure_.exchange(false) ? database::woken::by_departure
                                          : database::woken::by_bell;
    }
    return waited[0].revents != 0 ? database::woken::by_caller : database::woken::by_time;
}

}  // namespace turnstile::sql
