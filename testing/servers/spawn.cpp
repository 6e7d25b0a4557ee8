// SPDX-License-Identifier: Apache-2.0
#include "servers/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "servers/throw_errno.hpp"
#include "support/descriptor.hpp"

namespace turnstile::testing::detail {

namespace {

void check(int error, const char* call) {
    if (error != 0) throw_errno(call, error);
}

class file_actions {
public:
    file_actions() { check(posix_spawn_file_actions_init(&actions_), "file actions"); }
    ~file_actions() { posix_spawn_file_actions_destroy(&actions_); }
    file_actions(const file_actions&) = delete;
    file_actions& operator=(const file_actions&) = delete;

    void prepare(const spawn_request& request) {
        const std::string out = request.output.empty() ? "/dev/null" : request.output.string();
        // The descriptor `request.link` is copied first, because the next actions replace descriptors 0 to 2 and close
        // all descriptors above the copy.
        if (request.link >= 0) {
            check(posix_spawn_file_actions_adddup2(&actions_, request.link, k_link), "dup2");
        }
        open(STDIN_FILENO, "/dev/null", O_RDONLY);
        open(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_APPEND);
        check(posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO), "dup2");
        const int first_unused = request.link >= 0 ? k_link + 1 : k_link;
        check(posix_spawn_file_actions_addclosefrom_np(&actions_, first_unused), "closefrom");
        if (!request.folder.empty()) {
            check(posix_spawn_file_actions_addchdir_np(&actions_, request.folder.c_str()), "chdir");
        }
    }

    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    void open(int number, const std::string& path, int flags) {
        check(posix_spawn_file_actions_addopen(&actions_, number, path.c_str(), flags, 0644),
              "open");
    }

    posix_spawn_file_actions_t actions_{};
};

class attributes {
public:
    explicit attributes(new_group group) {
        check(posix_spawnattr_init(&attributes_), "spawn attributes");
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setpgroup(&attributes_, 0);
        const auto leader =
            group == new_group::session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
        const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | leader;
        check(posix_spawnattr_setflags(&attributes_, static_cast<short>(flags)), "spawn flags");
    }
    ~attributes() { posix_spawnattr_destroy(&attributes_); }
    attributes(const attributes&) = delete;
    attributes& operator=(const attributes&) = delete;

    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

std::vector<std::string> merge_environment(const std::vector<std::string>& changes) {
    std::vector<std::string> merged = changes;
    for (char** inherited = environ; *inherited != nullptr; ++inherited) {
        const auto same = [&](const std::string& c) { return name_of(c) == name_of(*inherited); };
        if (std::none_of(changes.begin(), changes.end(), same)) merged.emplace_back(*inherited);
    }
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& s : strings) result.push_back(s.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

pid_t spawn(const spawn_request& request) {
    // The child's actions replace descriptors 0 to 3, so the passed descriptor needs a higher number.
    constexpr int k_above_replaced = 10;
    support::descriptor link;
    spawn_request moved = request;
    if (request.link >= 0) {
        link = support::descriptor{::fcntl(request.link, F_DUPFD_CLOEXEC, k_above_replaced)};
        if (!link.open()) throw_errno("fcntl");
        moved.link = link.get();
    }
    file_actions actions;
    actions.prepare(moved);
    const attributes attributes{request.group};
    auto environment = merge_environment(request.environment);
    pid_t pid = 0;
    const int error =
        posix_spawn(&pid, moved.command.at(0).c_str(), actions.get(), attributes.get(),
                    pointers(moved.command).data(), pointers(environment).data());
    if (error != 0) throw_errno("cannot start " + moved.command.at(0), error);
    return pid;
}

std::vector<std::string> unprivileged(std::vector<std::string> command) {
    if (::geteuid() == 0)
        command.insert(command.begin(),
                       {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"});
    return command;
}

void give_to_unprivileged(const std::filesystem::path& folder) {
    if (::geteuid() != 0) return;
    constexpr uid_t k_nobody = 65534;
    std::filesystem::permissions(folder.parent_path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
    if (::chown(folder.c_str(), k_nobody, k_nobody) != 0) throw_errno(folder.string());
}

}  // namespace turnstile::testing::detail
