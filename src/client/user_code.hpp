// SPDX-License-Identifier: Apache-2.0
// run_user_code: calls a function of the user's where nothing could catch what it throws, and logs that.
//
// Thread safety: any thread.
#pragma once

#include <exception>
#include <string_view>

#include "base/log.hpp"

namespace turnstile::detail {

// False if the function threw. `name` is the log's word for it.
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

}  // namespace turnstile::detail
