// SPDX-License-Identifier: Apache-2.0
// last_words: writes a sentence to standard error, and ends the process, which has no memory left. Nothing here
// allocates.
//
// Thread safety: any thread. Call name_lack_of_memory() once, at the start of main().
#pragma once

#include <cxxabi.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

namespace turnstile::support {

template <std::size_t N>
void write_last_words(const std::array<std::string_view, N>& parts) noexcept {
    std::array<iovec, N> sentence{};
    // writev() needs a pointer to memory that is not const, but changes nothing there.
    for (std::size_t i = 0; i != N; ++i)
        sentence[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
    // Standard error may be a full pipe without a reader. A blocked write would keep the process, and its locks, alive.
    pollfd writable{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&writable, 1, 0) != 1) return;
    [[maybe_unused]] const auto written =
        ::writev(STDERR_FILENO, sentence.data(), static_cast<int>(N));
}

template <std::size_t N>
[[noreturn]] void abort_with(const std::array<std::string_view, N>& parts) noexcept {
    static std::atomic_flag ending;
    while (ending.test_and_set()) ::pause();  // another thread ends the process
    write_last_words(parts);
    std::abort();
}

inline constexpr std::string_view k_no_memory = ": out of memory: the process ends\n";

// From now on a std::bad_alloc that no caller catches ends the process with "<program>: out of memory: ...". Without
// this function the C++ runtime would name only the exception's type. `program`: the program's name, a string literal.
inline void name_lack_of_memory(const char* program) noexcept {
    static const char* named = nullptr;
    static std::terminate_handler usual = nullptr;
    named = program;
    usual = std::set_terminate([] {
        const std::type_info* const type = abi::__cxa_current_exception_type();
        if (type != nullptr && *type == typeid(std::bad_alloc))
            abort_with(std::array<std::string_view, 2>{named, k_no_memory});
        usual();
    });
}

}  // namespace turnstile::support
