// SPDX-License-Identifier: Apache-2.0
// find: finds a module that is linked into the program, or loads its file from the core library's folder.
//
//     const auto redis = modules::find(modules::module_kind::redis, "redis://");
//     if (!redis) throw_error(redis.error());
//     return (*redis)->make({connect_string, session_timeout});
//
// A module's file is libturnstile-<kind>.so.<major>.<minor>. The core searches only the folder from which the dynamic
// linker loaded libturnstile, whatever the working directory and the environment are. So a set-user-ID program loads
// only modules that are installed beside libturnstile. A core that is linked in as an archive loads no files.
//
// Thread safety: from any thread. A module is loaded at its first use and is never unloaded.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "modules/entry.hpp"

namespace turnstile::modules {

enum class module_kind { tls, redis, sqlite, postgresql, mariadb };
inline constexpr std::array k_kinds{module_kind::tls, module_kind::redis, module_kind::sqlite,
                                    module_kind::postgresql, module_kind::mariadb};

[[nodiscard]] std::string_view name_of(
    module_kind which) noexcept;  // "redis": turnstile_module_redis
[[nodiscard]] std::string_view servers_of(module_kind which) noexcept;  // "Redis", for messages

// Returns a name such as "libturnstile-redis": the name of the Debian package, and of the file without its version.
[[nodiscard]] std::string package_of(module_kind which);
// Returns a name such as "libturnstile-redis.so.0.1".
[[nodiscard]] std::string file_of(module_kind which);

// Fails with bad_connect_string if the module is absent, cannot be loaded, or has another version. The message begins
// with `asker`, and names the file and the package. `asker` says for what the module is needed: it is the scheme of a
// connect string, the kind of server, or the name of a function.
[[nodiscard]] result<const entry*> find(module_kind which, std::string_view asker);

// Returns the module, if an earlier find() has succeeded; otherwise null.
[[nodiscard]] const entry* loaded(module_kind which) noexcept;

[[nodiscard]] bool is_linked_in(module_kind which) noexcept;

// Like find(), but loads the module from this folder.
[[nodiscard]] result<const entry*> load(const std::string& folder, module_kind which,
                                        std::string_view asker);

}  // namespace turnstile::modules
