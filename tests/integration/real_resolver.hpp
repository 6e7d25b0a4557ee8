// SPDX-License-Identifier: Apache-2.0
// The C library's getaddrinfo, for tests that replace that function.
#pragma once

#include <dlfcn.h>
#include <netdb.h>

namespace turnstile::tests {

inline int resolve_really(const char* node, const char* service, const addrinfo* hints,
                          addrinfo** out) {
    using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return real(node, service, hints, out);
}

}  // namespace turnstile::tests
