// SPDX-License-Identifier: Apache-2.0
#include "base/core_folder.hpp"

#ifndef TURNSTILE_STATIC_DEFINE
#include <dlfcn.h>
#include <link.h>

#include <linux/limits.h>
#include <array>
#include <string_view>
#endif

namespace turnstile::base {

#ifdef TURNSTILE_STATIC_DEFINE
std::string folder_of_core() {
    return {};
}
#else
namespace {

constexpr char k_inside = 0;  // its address is inside the core library

}  // namespace

// The dynamic linker reports the path by which it loaded the library. If that path is relative, RTLD_DI_ORIGIN gives
// the folder, which the linker resolved at load time. If the library is part of the program, the linker reports an
// empty path, and this function returns an empty text.
std::string folder_of_core() {
    Dl_info where{};
    ::link_map* library = nullptr;
    if (::dladdr1(&k_inside, &where, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0 ||
        *library->l_name == '\0')
        return {};
    const std::string_view path{library->l_name};
    if (path.starts_with('/')) return std::string{path.substr(0, path.rfind('/'))};
    std::array<char, PATH_MAX + 1> folder{};
    return ::dlinfo(library, RTLD_DI_ORIGIN, folder.data()) == 0 ? folder.data() : "";
}
#endif

}  // namespace turnstile::base
