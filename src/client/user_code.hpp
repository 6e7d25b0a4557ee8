// SPDX-License-Identifier: Apache-2.0
// run_user_code: calls a user's function in a place where no caller could catch an exception, and logs the exceptions
// that the function throws.
// call_user: calls a function of the user inside a task of the library. If the library runs out of memory in that task,
// the process ends. If the user's function throws std::bad_alloc, the process continues.
//
// Thread safety: any thread.
#pragma once

#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "base/log.hpp"

namespace turnstile::detail {

// Calls the function. Returns false if the function threw an exception. `name`: the name of the function for the log.
template <class F>
bool run_user_code(std::string_view name, F&& function) noexcept {
    try {
        function();
        return true;
    } catch (const std::exception& failure) {
        log::write(log_level::error, "{} threw: {}", name, failure.what());
    } catch (...) {  // boost::thread_interrupted is no std::exception
        log::write(log_level::error, "{} threw something that is no std::exception", name);
    }
    return false;
}

// Replaces a std::bad_alloc of the user's function, because a std::bad_alloc in a task of the library ends the process.
struct users_bad_alloc final : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "std::bad_alloc"; }
};

template <class F, class... Arguments>
void call_user(F&& function, Arguments&&... arguments) {
    try {
        std::forward<F>(function)(std::forward<Arguments>(arguments)...);
    } catch (const std::bad_alloc&) {
        throw users_bad_alloc{};
    }
}

}  // namespace turnstile::detail
