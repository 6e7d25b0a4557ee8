// SPDX-License-Identifier: Apache-2.0
#include "servers/supervisor.hpp"

#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <string_view>

#include "servers/spawn.hpp"
#include "servers/throw_errno.hpp"

namespace turnstile::testing::detail {

namespace {

constexpr const char* k_shell = "/bin/sh";

// Script that kills a process group. The first line from the socket at descriptor 3 is the group's number. If the
// socket closes before a second line, the script kills the group. The commands in braces wait in a second shell. The
// first shell ends at once, so the second shell becomes an orphan.
constexpr const char* k_kill_group = R"sh(
{
    read -r group && [ "$group" != done ] || exit 0
    read -r word && exit 0
    kill -s KILL -- "-$group"
} <&3 >/dev/null 2>&1 &
)sh";

// Script that removes a folder when the socket closes without a line. Processes that are being killed may still write
// into the folder, so the script tries for 10 s.
constexpr const char* k_remove_folder = R"sh(
{
    read -r word && exit 0
    tries=0
    until rm -rf -- "$1" || [ "$tries" -ge 200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
} <&3 >/dev/null 2>&1 &
)sh";

constexpr const char* k_tell_group = R"sh(echo "$$" >&3 && exec 3>&- && exec "$@")sh";

int reap(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) throw_errno("waitpid");
    }
    return status;
}

}  // namespace

supervisor::supervisor(ward kind, const std::filesystem::path& path) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
    const support::descriptor shells_end{ends[0]};
    link_ = support::descriptor{ends[1]};
    const char* script = kind == ward::folder ? k_remove_folder : k_kill_group;
    const pid_t front = spawn({.command = {k_shell, "-c", script, "turnstile-supervisor", path},
                               .folder = "/",
                               .link = shells_end.get(),
                               .group = new_group::session});
    if (reap(front) != 0) throw_errno("the supervisor's shell failed", ECHILD);
}

void supervisor::dismiss() noexcept {
    constexpr std::string_view k_done = "done\n";
    // If the shell has ended, it needs no message.
    (void)::send(link_.get(), k_done.data(), k_done.size(), MSG_NOSIGNAL);
    link_.reset();
}

std::vector<std::string> supervised(const std::vector<std::string>& command) {
    std::vector<std::string> all{k_shell, "-c", k_tell_group, "turnstile-start"};
    all.insert(all.end(), command.begin(), command.end());
    return all;
}

}  // namespace turnstile::testing::detail
