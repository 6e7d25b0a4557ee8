// SPDX-License-Identifier: Apache-2.0
#include "cli/own_children.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include "support/kernel_file.hpp"

namespace turnstile::cli {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw std::runtime_error{"the children of this process cannot be listed: " + why};
}

support::descriptor own_folder() {
    support::descriptor folder{::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct statfs about {};
    if (!folder.open() || ::fstatfs(folder.get(), &about) != 0)
        refuse("/proc/self: " + std::string{std::strerror(errno)});
    if (about.f_type != PROC_SUPER_MAGIC) refuse("/proc is no proc file system");
    return folder;
}

// True if the file `status` has a line such as "NSpid:\t4711\n" with a single number. In the procfs of an outer
// namespace, the line has several numbers.
bool is_of_this_namespace(const support::descriptor& folder) {
    const auto status = support::text_of_kernel_file(folder.get(), "status");
    return status.find("\nNSpid:\t" + std::to_string(::getpid()) + "\n") != std::string::npos;
}

// The kernel does not reuse a child's process id before this process has waited for it. So the signal cannot reach
// another process.
void kill_child(pid_t number) noexcept {
    siginfo_t ignored{};
    const auto id = static_cast<id_t>(number);
    if (::waitid(P_PID, id, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
        ::kill(number, SIGKILL);
}

// The file `children` contains process ids, each followed by a space.
void kill_children_of(int threads, const char* thread) noexcept {
    const support::descriptor folder{
        ::openat(threads, thread, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY)};
    const support::descriptor list{
        ::openat(folder.get(), "children", O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    std::array<char, 4096> part{};
    pid_t number = 0;
    for (;;) {
        const auto size = ::read(list.get(), part.data(), part.size());
        if (size <= 0) return;
        for (ssize_t i = 0; i < size; ++i) {
            const char symbol = part[static_cast<std::size_t>(i)];
            if (symbol >= '0' && symbol <= '9') {
                number = number * 10 + (symbol - '0');
            } else if (number > 0) {
                kill_child(number);
                number = 0;
            }
        }
    }
}

}  // namespace

own_children::own_children() {
    const auto folder = own_folder();
    if (!is_of_this_namespace(folder)) refuse("/proc belongs to another PID namespace");
    const auto list = "task/" + std::to_string(::getpid()) + "/children";
    if (::faccessat(folder.get(), list.c_str(), R_OK, 0) != 0)
        refuse("/proc/self/" + list + ": " + std::strerror(errno));
    threads_ =
        support::descriptor{::openat(folder.get(), "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!threads_.open()) refuse("/proc/self/task: " + std::string{std::strerror(errno)});
}

// Kills the children of each thread of this process, because an orphan may become the child of any thread.
void own_children::kill_all() const noexcept {
    const int again = ::openat(threads_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const threads = again < 0 ? nullptr : ::fdopendir(again);
    if (threads == nullptr) return;
    while (const dirent* const entry = ::readdir(threads))
        if (entry->d_name[0] != '.') kill_children_of(::dirfd(threads), entry->d_name);
    ::closedir(threads);
}

}  // namespace turnstile::cli
