// SPDX-License-Identifier: Apache-2.0
// server_log: reads one server's log through a small pipe. After stall() it reads no more, so the pipe becomes full,
// and a thread of the server that writes a line to the log blocks until flow().
//
// Thread safety: any thread may call all members. The object has one thread, which reads.
#pragma once

#include <atomic>
#include <filesystem>
#include <thread>

namespace campaign {

class server_log {
public:
    // Replaces the file `pipe` by a pipe. Appends what the server writes into the pipe to the file `kept`.
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
