// SPDX-License-Identifier: Apache-2.0
// guardian_program: gives the program turnstile-guardian (turnstile/guardian.hpp) a separate name. So a test can kill
// the guardians that run under this name, and no others.
//
//     const guardian_program guardian{installed};
//     process worker{{.command = {program, address, "/locks/orders", guardian.path()}, .output = log}};
//     ASSERT_TRUE(worker.wait_for_output("READY"));
//     guardian.kill();  // the worker continues without a guardian: its locks outlive it by the session timeout
//
// The name is a link in a temporary folder. Pass path() to a worker that starts a guardian
// (client_options::guardian.program), or start a guardian with path() as the program. The destructor kills guardians
// that still run. If this process dies without running destructors, its guardians end by themselves when the processes
// that they guard have ended.
//
// Thread safety: any thread may call const members.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::testing {

// The program turnstile-guardian under a separate name.
class guardian_program {
public:
    // `program` is the path of turnstile-guardian, installed or built. Throws std::runtime_error if it does not exist.
    explicit guardian_program(const std::filesystem::path& program);
    ~guardian_program();
    guardian_program(const guardian_program&) = delete;
    guardian_program& operator=(const guardian_program&) = delete;

    // Returns the path of the link, for guardian_settings::program.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // Returns the running guardians with this name: one for each process that started a guardian.
    [[nodiscard]] std::vector<pid_t> running() const;
    // Sends SIGKILL to each running guardian with this name, and returns when they have ended.
    void kill() const;

private:
    temporary_folder folder_;
    std::string path_;
    pid_t owner_;  // the process whose destructor kills the guardians
};

}  // namespace turnstile::testing
