// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/guardian_program.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "support/descriptor.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

namespace {

// Returns the program name in the process's command line; empty if the process has ended.
std::string executable_of(const std::filesystem::path& process) {
    std::ifstream file{process / "cmdline"};
    std::string name;
    std::getline(file, name, '\0');
    return name;
}

}  // namespace

guardian_program::guardian_program(const std::filesystem::path& program)
    : path_{folder_.path() / "turnstile-guardian"}, owner_{::getpid()} {
    if (::access(program.c_str(), X_OK) != 0)
        throw std::runtime_error{"no program " + program.string()};
    std::filesystem::create_symlink(std::filesystem::absolute(program), path_);
}

guardian_program::~guardian_program() {
    if (owner_ != ::getpid()) return;
    try {
        kill();
    } catch (...) {  // memory is exhausted; the guardians end by themselves
    }
}

std::vector<pid_t> guardian_program::running() const {
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc", ignored}) {
        const auto name = entry.path().filename().string();
        const bool is_process = name.find_first_not_of("0123456789") == std::string::npos;
        if (is_process && executable_of(entry.path()) == path_) found.push_back(std::stoi(name));
    }
    return found;
}

void guardian_program::kill() const {
    const auto all_ended = [this] {
        const auto all = running();
        for (const pid_t guardian : all) {
            // Opens a pidfd first and then checks the name again, because the number may belong to a new process.
            const support::descriptor process{
                static_cast<int>(::syscall(SYS_pidfd_open, guardian, 0))};
            if (process.open() && executable_of("/proc/" + std::to_string(guardian)) == path_)
                ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
        }
        return all.empty();
    };
    (void)eventually(all_ended);
}

}  // namespace turnstile::testing
