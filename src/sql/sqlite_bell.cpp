// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite_bell.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "sql/sqlite_file.hpp"
#include "support/poll_time.hpp"

namespace turnstile::sql {

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
