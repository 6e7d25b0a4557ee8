// SPDX-License-Identifier: Apache-2.0
// Protects the memory of a process that has secrets: passwords, ids of sessions. Thread safety: call these functions
// before the process has further threads.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>

namespace turnstile::support {

// Forbids core files, and forbids other processes of the user to trace this process. Returns the previous limit for
// core files.
inline rlimit forbid_core_files() noexcept {
    ::prctl(PR_SET_DUMPABLE, 0);
    rlimit before{};
    ::getrlimit(RLIMIT_CORE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_CORE, &none);
    return before;
}

// Locks memory against swapping, except the code of libraries. Code contains no secret, and may be larger than
// RLIMIT_MEMLOCK allows (OpenSSL's code is 6 MiB).
inline void lock_writable_memory() {
    std::ifstream maps{"/proc/self/maps"};
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        const char* const last = line.data() + line.size();
        const auto first = std::from_chars(line.data(), last, begin, 16);
        if (first.ec != std::errc{} || first.ptr == last || *first.ptr != '-') continue;
        const auto second = std::from_chars(first.ptr + 1, last, end, 16);
        const bool writable = last - second.ptr > 3 && second.ptr[2] == 'w';
        if (writable) ::mlock(reinterpret_cast<const void*>(begin), end - begin);
    }
}

// Locks the memory against swapping. Locks later allocations only if no RLIMIT_MEMLOCK could make them fail.
inline void lock_memory() {
    rlimit locked{};
    ::getrlimit(RLIMIT_MEMLOCK, &locked);
    const bool unlimited = ::geteuid() == 0 || locked.rlim_cur == RLIM_INFINITY;
    if (::mlockall(unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) != 0) lock_writable_memory();
}

}  // namespace turnstile::support
