// SPDX-License-Identifier: Apache-2.0
// server_log: the log of one server, a small pipe that is read, or, to stall the server's threads that log,
// not read.
//
// Thread safety: all members from any thread. Threads: one that reads.
#pragma once

#include <atomic>
#include <filesystem>
#include <thread>

namespace campaign {

class server_log {
public:
    // Replaces `pipe` by a pipe; what comes out of it is appended to `kept`.
    server_log(const std::filesystem::path& pipe, const std::filesystem::path& kept);
    ~server_log();
    server_log(const server_log&) = delete;
    server_log& operator=(const server_log&) = delete;

    void stall() noexcept { stalled_ = true; }
    void flow() noexcept { stalled_ = false; }

private:
    void read(const std::stop_token& ending);

    int pipe_;
    int kept_;
    std::atomic<bool> stalled_ = false;
    std::jthread reader_;
};

}  // namespace campaign
