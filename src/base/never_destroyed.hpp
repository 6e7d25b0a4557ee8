// SPDX-License-Identifier: Apache-2.0
// never_destroyed: a constant that is made on first use and lives until the process ends. undestroyed: such a constant
// that needs no allocation, for a type whose constructor neither allocates nor throws.
//
//     static const std::string& k_text = base::never_destroyed(std::string{"SELECT ..."});
//     static const base::undestroyed<std::string> k_none;  // k_none.value
//
// Purpose: a process destroys static objects in the reverse order of their construction. If a session's thread makes a
// static object, that object is younger than the static client that started the session. So it would be destroyed
// first, while the client's threads still use it.
//
// Thread safety: from any thread, as the static variable of a function is.
#pragma once

#include <utility>

// GCC 14 believes that the returned reference refers to a temporary argument.
#if __has_cpp_attribute(gnu::no_dangling)
#define TURNSTILE_NO_DANGLING [[gnu::no_dangling]]
#else
#define TURNSTILE_NO_DANGLING
#endif

namespace turnstile::base {

template <class T>
TURNSTILE_NO_DANGLING [[nodiscard]] const T& never_destroyed(T value) {
    return *new T(std::move(value));
}

template <class T>
union undestroyed {
    undestroyed() noexcept : value{} {}
    ~undestroyed() {}
    undestroyed(const undestroyed&) = delete;
    undestroyed& operator=(const undestroyed&) = delete;

    T value;
};

}  // namespace turnstile::base
