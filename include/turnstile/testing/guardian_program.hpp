// SPDX-License-Identifier: Apache-2.0
// guardian_program: the guardian's program under a name of the test's own, so that the guardians of its workers, and no
// others, can be killed.
//
//     const guardian_program guardian{installed};
//     process worker{{.command = {program, address, "/locks/orders", guardian.path()}, .output = log}};
//     ASSERT_TRUE(worker.wait_for_output("READY"));
//     guardian.kill();  // the worker goes on; its locks outlive it by the session time-out, as without a guardian
//
// The name is a link in a temporary folder. A worker has it as client_options::guardian.program; a guardian that is the
// worker's parent is started by it. Guardians that are left at the end are killed by the destructor. Should this process
// die without running destructors, they end as guardians do: once nothing is left to be guarded.
//
// Thread safety: const members from any thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::testing {

class guardian_program {
public:
    // `program`: turnstile-guardian, as it was installed or built. Throws std::runtime_error if it is not there.
    explicit guardian_program(const std::filesystem::path& program);
    ~guardian_program();
    guardian_program(const guardian_program&) = delete;
    guardian_program& operator=(const guardian_program&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // The guardians that run by this name: one for each process that started one.
    [[nodiscard]] std::vector<pid_t> running() const;
    // SIGKILL to each of them; returns when they have ended.
    void kill() const;

private:
    temporary_folder folder_;
    std::string path_;
    pid_t owner_;  // the process that kills at the end
};

}  // namespace turnstile::testing
