// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: children of the program get a boot clock that is a day ahead, while the program keeps its
// clock. In older kernels `unshare --time PROGRAM` does the same.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace {

#ifndef CLONE_NEWTIME
constexpr int CLONE_NEWTIME = 0x80;
#endif

__attribute__((constructor)) void give_children_another_clock() {
    ::unsetenv("LD_PRELOAD");
    constexpr std::string_view k_day = "boottime 86400 0\n";
    if (::unshare(CLONE_NEWTIME) != 0) return;
    const int offsets = ::open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    [[maybe_unused]] const auto written = ::write(offsets, k_day.data(), k_day.size());
    ::close(offsets);
}

}  // namespace
