// SPDX-License-Identifier: Apache-2.0
// throw_errno: throws an exception for a failed system call. The exception names the step. Thread safety: a pure
// function.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace turnstile::testing::detail {

[[noreturn]] inline void throw_errno(const std::string& step, int error = errno) {
    throw std::system_error{error, std::generic_category(), step};
}

}  // namespace turnstile::testing::detail
