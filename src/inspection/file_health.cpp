// SPDX-License-Identifier: Apache-2.0
#include "turnstile/file_health.hpp"

#include "base/masked.hpp"
#include "modules/find.hpp"

namespace turnstile {

result<file_health> health_of_file(std::string_view connect_string) {
    constexpr std::string_view k_scheme = "sqlite:";
    if (!connect_string.starts_with(k_scheme))
        return error{errc::bad_connect_string, "'" + base::masked_refusal(connect_string) +
                                                   "' names no file: write sqlite:/path"};
    const auto module = modules::find(modules::module_kind::sqlite, k_scheme);
    if (!module) return module.error();
    return (*module)->look_at_file(connect_string);
}

}  // namespace turnstile
