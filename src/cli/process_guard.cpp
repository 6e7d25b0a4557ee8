// SPDX-License-Identifier: Apache-2.0
#include "cli/process_guard.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
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

namespace {

// Constructs the guard. Returns an empty text, or the reason why it is not available.
template <class T>
std::string emplace(std::optional<T>& guard) {
    try {
        guard.emplace();
        return {};
    } catch (const std::runtime_error& why) {
        return why.what();
    }
}

bool wants_group(guard_choice choice) {
    if (choice == guard_choice::automatic) return !control_group::is_left_to_systemd();
    return choice == guard_choice::cgroup;
}

}  // namespace

process_guard::process_guard(guard_choice choice) {
    // Restores SIGCHLD's default action: if SIGCHLD were ignored, the kernel would reap the children, and waitpid()
    // would find none.
    ::signal(SIGCHLD, SIG_DFL);
    const std::string sentence =
        "turnstile could not find and kill the processes that the command starts: ";
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        throw no_guard{sentence + "prctl(PR_SET_CHILD_SUBREAPER): " + std::strerror(errno)};
    const auto no_group = wants_group(choice) ? emplace(group_) : std::string{};
    const auto no_children = emplace(children_);
    if (group_ || (children_ && choice != guard_choice::cgroup)) return;
    if (choice == guard_choice::cgroup) throw no_guard{sentence + no_group};
    throw no_guard{sentence + no_children + (no_group.empty() ? "" : "; " + no_group)};
}

process_guard::~process_guard() {
    remove();
}

void process_guard::enter_fork() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (children_) children_.emplace();
}

int process_guard::end_all(pid_t command) const noexcept {
    int status_of_command = 0;
    for (;;) {
        // When a process dies, its children become children of this process before this process can reap the dead
        // process. So each round finds the next generation.
        if (group_) group_->kill();
        if (children_) children_->kill_all();
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, __WALL);
        if (ended == command && ended > 0) status_of_command = status;
        if (ended < 0 && errno == ECHILD) return status_of_command;
    }
}

void process_guard::remove() const noexcept {
    if (group_) group_->remove();
}

}  // namespace turnstile::cli
