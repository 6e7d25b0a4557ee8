// SPDX-License-Identifier: Apache-2.0
// paused_process: runs this program again in a process that stops itself in the middle of its work, and resumes on
// demand. A garbage collector, a debugger or the migration of a virtual machine has the same effect.
//
//     paused_process slow{{"seller", file}};   // returns when that process has stopped
//     ...
//     const bool well = slow.resume();         // returns when it has ended
//
// Thread safety: none.
#pragma once

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

class paused_process {
public:
    explicit paused_process(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "paused_process");
        std::vector<char*> words;
        for (auto& each : arguments) words.push_back(each.data());
        words.push_back(nullptr);
        std::cout << std::flush;
        pid_ = ::fork();
        if (pid_ == 0) {
            // kills the process when its parent ends, because only the parent can resume it
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::execv("/proc/self/exe", words.data());
            ::_exit(EXIT_FAILURE);
        }
        int status = 0;
        if (pid_ < 0 || ::waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status))
            throw std::runtime_error{"the other process does not stand still"};
    }
    ~paused_process() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    paused_process(const paused_process&) = delete;
    paused_process& operator=(const paused_process&) = delete;

    // The started process calls this function to stop itself, until its parent calls resume().
    static void stand_still() {
        std::cout << std::flush;
        ::raise(SIGSTOP);
    }

    // Resumes the process and waits for its end. Returns true if the process succeeded.
    bool resume() {
        std::cout << std::flush;
        ::kill(pid_, SIGCONT);
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = 0;
        if (!WIFEXITED(status)) throw std::runtime_error{"the other process was killed"};
        return WEXITSTATUS(status) == EXIT_SUCCESS;
    }

private:
    pid_t pid_ = 0;
};
