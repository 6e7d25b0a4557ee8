// SPDX-License-Identifier: Apache-2.0
#include "base/out_of_memory.hpp"

#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include <poll.h>
#include <unistd.h>

namespace turnstile::base {

namespace {

// writev() needs a pointer to memory that is not const, but changes nothing there.
iovec part_of(std::string_view text) noexcept {
    return {const_cast<char*>(text.data()), text.size()};
}

}  // namespace

void end_out_of_memory(const char* place) noexcept {
    static std::atomic_flag ending;
    while (ending.test_and_set()) ::pause();  // another thread ends the process
    const std::array<iovec, 3> sentence{
        part_of("turnstile: out of memory in "), part_of(place),
        part_of(": the process ends, so that its sessions expire and its locks become free\n")};
    // Standard error may be a full pipe without a reader. A blocked write would keep the process, and its locks, alive.
    pollfd writable{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&writable, 1, 0) == 1) {
        [[maybe_unused]] const auto written =
            ::writev(STDERR_FILENO, sentence.data(), static_cast<int>(sentence.size()));
    }
    std::abort();
}

}  // namespace turnstile::base
