// SPDX-License-Identifier: Apache-2.0
// name_this_thread, name_started_threads: the names of the library's threads in ps, top and gdb.
//
// Thread safety: any thread; one object of name_started_threads belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <pthread.h>

namespace turnstile::base {

inline constexpr std::size_t k_longest_thread_name = 15;  // the limit of Linux

// Cuts off the end of a name that is longer than k_longest_thread_name.
inline void name_this_thread(std::string_view name) noexcept {
    std::array<char, k_longest_thread_name + 1> text{};
    name.copy(text.data(), k_longest_thread_name);
    ::pthread_setname_np(::pthread_self(), text.data());
}

// Names threads that another library starts: on Linux a new thread gets the name of its starter. The calling thread has
// that name while this object lives.
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
