// SPDX-License-Identifier: Apache-2.0
// throw_errno: throws an exception that names the step whose system call failed. Thread safety: a pure function.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace turnstile::testing::detail {

[[noreturn]] inline void throw_errno(const std::string& step, int error = errno) {
    throw std::system_error{error, std::generic_category(), step};
}

}  // namespace turnstile::testing::detail
