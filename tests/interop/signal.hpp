// SPDX-License-Identifier: Apache-2.0
// signal: makes other clients' programs continue. Each program reads from a named pipe, and so waits for the signal.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace turnstile::tests {

class signal {
public:
    explicit signal(std::filesystem::path pipe) : pipe_{std::move(pipe)} {
        if (::mkfifo(pipe_.c_str(), 0600) != 0) fail();
        // The pipe is open in both directions, so this open() waits for no reader, and the bytes stay until a program
        // reads them.
        end_ = ::open(pipe_.c_str(), O_RDWR | O_CLOEXEC);
        if (end_ < 0) fail();
    }
    signal(const signal&) = delete;
    signal& operator=(const signal&) = delete;
    ~signal() { ::close(end_); }

    // Returns the path of the pipe, for a program's arguments.
    [[nodiscard]] const std::filesystem::path& pipe() const noexcept { return pipe_; }
    // Signals all programs that wait now or later. Each program reads one byte.
    void give() const {
        constexpr std::string_view k_programs = "!!!!!!!!!!!!!!!!";
        if (::write(end_, k_programs.data(), k_programs.size()) !=
            static_cast<ssize_t>(k_programs.size()))
            fail();
    }

private:
    [[noreturn]] void fail() const {
        throw std::system_error{errno, std::generic_category(), pipe_.string()};
    }

    std::filesystem::path pipe_;
    int end_ = -1;
};

}  // namespace turnstile::tests
