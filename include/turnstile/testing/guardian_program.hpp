// SPDX-License-Identifier: Apache-2.0
// guardian_program: the guardian's program under a name of the test, so that the test can kill its guardians and no
// others.
//
//     const guardian_program guardian{installed};
//     process worker{{.command = {program, address, "/locks/orders", guardian.path()}, .output = log}};
//     ASSERT_TRUE(worker.wait_for_output("READY"));
//     guardian.kill();  // the worker goes on; its locks outlive it by the session timeout, as without a guardian
//
// The name is a link in a temporary folder. A worker that starts a guardian gets the name in
// client_options::guardian.program; a guardian that is the worker's parent is started by this name. The destructor
// kills guardians that are left. If this process dies without running destructors, they end as guardians do: when
// nothing is left to guard.
//
// Thread safety: any thread may call const members.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::testing {

// A guardian's program.
class guardian_program {
public:
    // `program` is the path of turnstile-guardian, installed or built. Throws std::runtime_error if it does not exist.
    explicit guardian_program(const std::filesystem::path& program);
    ~guardian_program();
    guardian_program(const guardian_program&) = delete;
    guardian_program& operator=(const guardian_program&) = delete;

    // Returns the path of the program under the name of this test, for guardian_settings.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // Returns the running guardians with this name: one for each process that started one.
    [[nodiscard]] std::vector<pid_t> running() const;
    // Sends SIGKILL to each running guardian with this name, and returns when they have ended.
    void kill() const;

private:
    temporary_folder folder_;
    std::string path_;
    pid_t owner_;  // the process that kills them at the end
};

}  // namespace turnstile::testing
