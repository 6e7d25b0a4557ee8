// SPDX-License-Identifier: Apache-2.0
// name_this_thread, name_started_threads: what the library's threads are called in ps, top and gdb.
//
// Thread safety: any thread; a name_started_threads belongs to one.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <pthread.h>

namespace turnstile::base {

inline constexpr std::size_t k_longest_thread_name = 15;  // Linux has no room for more

// What is too long is cut off.
inline void name_this_thread(std::string_view name) noexcept {
    std::array<char, k_longest_thread_name + 1> text{};
    name.copy(text.data(), k_longest_thread_name);
    ::pthread_setname_np(::pthread_self(), text.data());
}

// For threads that another library starts: Linux gives a thread the name of the one that starts it. The calling thread
// has that name meanwhile.
class name_started_threads {
public:
    explicit name_started_threads(std::string_view name) noexcept {
        ::pthread_getname_np(::pthread_self(), before_.data(), before_.size());
        name_this_thread(name);
    }
    ~name_started_threads() { ::pthread_setname_np(::pthread_self(), before_.data()); }
    name_started_threads(const name_started_threads&) = delete;
    name_started_threads& operator=(const name_started_threads&) = delete;

private:
    std::array<char, k_longest_thread_name + 1> before_{};
};

}  // namespace turnstile::base
