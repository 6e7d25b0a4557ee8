// SPDX-License-Identifier: Apache-2.0
// installed_modules: which kinds of servers this program can use beside ZooKeeper and the library's own memory.
//
//     for (const auto& module : turnstile::installed_modules())
//         if (!module.fault.empty()) print(module.name, module.fault);
//
// The back ends of Redis, SQLite, PostgreSQL and MariaDB are libraries that are installed separately, beside libturnstile:
// libturnstile-redis and so on. The first client of such a kind loads its module.
//
// Thread safety: a function, from any thread. Loads each module that is there.
#pragma once

#include <string>
#include <vector>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

struct module_status {
    // "redis": the package is libturnstile-redis, and CMake's target turnstile::redis.
    std::string name;
    std::string servers;  // "Redis"
    // The path of the module's file, whether the file exists or not; empty if the module is linked into the program.
    std::string file{};
    // Why no client can use it, in the words of a client's error; empty if it is usable.
    std::string fault{};
    // False if there is no such file, or if the program is linked without it.
    bool present = false;
};

// In the order redis, sqlite, postgresql, mariadb.
[[nodiscard]] TURNSTILE_EXPORT std::vector<module_status> installed_modules();

}  // namespace turnstile
