// SPDX-License-Identifier: Apache-2.0
#include "cli/control_group.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "support/kernel_file.hpp"
#include "support/random_digits.hpp"

namespace turnstile::cli {
namespace {

constexpr const char* k_prefix = "turnstile-";
constexpr std::array k_mounts{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

[[noreturn]] void refuse(const std::string& part, int why) {
    throw std::runtime_error{"no control group can be made: " + part + ": " + std::strerror(why)};
}

// Returns the path of this process's group relative to the mount, from /proc. Empty if the group is the mount itself,
// as in a container.
std::string own_path() {
    const auto groups = support::text_of_kernel_file(AT_FDCWD, "/proc/self/cgroup");
    constexpr std::string_view k_second_version = "0::";
    for (std::size_t begin = 0; begin < groups.size();) {
        const auto end = std::min(groups.find('\n', begin), groups.size());
        const auto line = std::string_view{groups}.substr(begin, end - begin);
        if (line.starts_with(k_second_version))
            return std::string{line.substr(k_second_version.size())};
        begin = end + 1;
    }
    return {};
}

// Checks that the folder is this process's group: the path in /proc may belong to another cgroup namespace. The member
// list is reliable, because its process ids are of the reader's PID namespace.
bool has_this_process(const support::descriptor& folder) {
    const auto members = "\n" + support::text_of_kernel_file(folder.get(), "cgroup.procs");
    return members.find("\n" + std::to_string(::getpid()) + "\n") != std::string::npos;
}

support::descriptor own_group() {
    const auto below = own_path();
    for (const std::string mount : k_mounts) {
        support::descriptor folder{
            ::open((mount + below).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        struct statfs about {};
        if (folder.open() && ::fstatfs(folder.get(), &about) == 0 &&
            about.f_type == CGROUP2_SUPER_MAGIC && has_this_process(folder))
            return folder;
    }
    return {};
}

support::descriptor writable(const support::descriptor& folder, const char* name) {
    support::descriptor file{::openat(folder.get(), name, O_WRONLY | O_CLOEXEC)};
    if (!file.open()) refuse(name, errno);
    return file;
}

// Tests whether a process can join the new group. Returns 0 or the errno. The kernel refuses the join if, for example,
// the parent group is threaded or belongs to another user.
int failure_of_trial(const control_group& group) {
    const pid_t trial = ::fork();
    if (trial < 0) return errno;
    if (trial == 0) ::_exit(group.join());
    int status = 0;
    while (::waitpid(trial, &status, 0) < 0)
        if (errno != EINTR) return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

void remove_below(int parent, const char* name) {
    const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR* const entries = folder < 0 ? nullptr : ::fdopendir(folder);
    if (entries == nullptr) return;
    while (const dirent* const entry = ::readdir(entries))
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') remove_below(folder, entry->d_name);
    ::closedir(entries);
    ::unlinkat(parent, name, AT_REMOVEDIR);
}

// Removes the control groups of dead `turnstile run` processes. A living `turnstile run`, or the process that watches
// its command (cli/keeper.hpp), holds a file lock on the group's folder.
void remove_left_behind(int parent) {
    const int folder = ::openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = folder < 0 ? nullptr : ::fdopendir(folder);
    if (entries == nullptr) return;
    while (const dirent* const entry = ::readdir(entries)) {
        if (!std::string_view{entry->d_name}.starts_with(k_prefix)) continue;
        const support::descriptor group{
            ::openat(parent, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
        if (group.open() && ::flock(group.get(), LOCK_EX | LOCK_NB) == 0)
            ::unlinkat(parent, entry->d_name, AT_REMOVEDIR);
    }
    ::closedir(entries);
}

// Opens the folder, and locks it for as long as this process or a fork of it lives. Until the folder is locked, another
// `turnstile run` that starts may take it for the folder of a dead process and remove it. In that case returns a closed
// descriptor.
support::descriptor locked_folder(int parent, const std::string& name) {
    support::descriptor folder{
        ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
    struct stat locked {};
    struct stat named {};
    if (folder.open() && ::flock(folder.get(), LOCK_SH) == 0 &&
        ::fstat(folder.get(), &locked) == 0 &&
        ::fstatat(parent, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        locked.st_ino == named.st_ino)
        return folder;
    return {};
}

}  // namespace

control_group::control_group() : parent_{own_group()} {
    if (!parent_.open()) refuse("this process is in no mounted control group of version 2", ENOENT);
    remove_left_behind(parent_.get());
    while (!folder_.open()) {
        name_ = k_prefix + support::random_digits<8>();
        if (::mkdirat(parent_.get(), name_.c_str(), 0755) != 0) refuse("mkdir", errno);
        folder_ = locked_folder(parent_.get(), name_);
    }
    try {
        killer_ = writable(folder_, "cgroup.kill");
        members_ = writable(folder_, "cgroup.procs");
        if (const int failure = failure_of_trial(*this); failure != 0)
            refuse("cgroup.procs", failure);
    } catch (...) {
        remove();
        throw;
    }
}

int control_group::join() const noexcept {
    return ::write(members_.get(), "0", 1) == 1 ? 0 : errno;
}

void control_group::kill() const noexcept {
    static_cast<void>(!::write(killer_.get(), "1", 1));
}

void control_group::remove() const noexcept {
    remove_below(parent_.get(), name_.c_str());
}

bool control_group::is_left_to_systemd() {
    struct stat about {};
    if (::lstat("/run/systemd/system/", &about) != 0) return false;
    const auto group = own_group();
    char delegated = '0';
    for (const auto* const name : {"trusted.delegate", "user.delegate"})
        if (::fgetxattr(group.get(), name, &delegated, 1) == 1 && delegated == '1') return false;
    return true;
}

}  // namespace turnstile::cli
