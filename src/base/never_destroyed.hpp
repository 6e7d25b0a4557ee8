// SPDX-License-Identifier: Apache-2.0
// never_destroyed: a constant that is made on first use and stays until the process is gone.
//
//     static const std::string& k_text = base::never_destroyed(std::string{"SELECT ..."});
//
// A function's static object that a session's thread makes is destroyed ahead of a static client that began that session,
// whose threads still use it.
//
// Thread safety: as the function's static reference.
#pragma once

#include <utility>

namespace turnstile::base {

template <class T>
[[nodiscard]] const T& never_destroyed(T value) {
    return *new T(std::move(value));
}

}  // namespace turnstile::base
