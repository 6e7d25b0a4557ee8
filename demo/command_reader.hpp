// SPDX-License-Identifier: Apache-2.0
// command_reader: a worker's ear, a thread that reads the director's commands.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>

namespace demo {

// Thread safety: all members from any thread. It is never destroyed before the process ends: its
// thread ends the process when the director has gone.
class command_reader {
public:
    explicit command_reader(const std::filesystem::path& pipe);

    // Waits until the director has sent `command`, and forgets it.
    void wait_for(std::string_view command);
    // True if it has; forgets it then.
    [[nodiscard]] bool take(std::string_view command);

private:
    void read_all(const std::filesystem::path& pipe);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string last_;  // the command that waits to be taken; guarded by mutex_
};

}  // namespace demo
