// SPDX-License-Identifier: Apache-2.0
// A preloaded library that sets a program's wall clock three hours ahead.
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
                                                                    timespec* now) {
    constexpr std::time_t k_ahead_s = 3 * 60 * 60;
    const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += k_ahead_s;
    return result;
}
