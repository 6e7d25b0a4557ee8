// SPDX-License-Identifier: Apache-2.0
// installed_modules: the kinds of servers that this program can use, beside ZooKeeper and the library's own memory.
//
// The back ends of Redis, SQLite, PostgreSQL and MariaDB are libraries that are installed separately, beside
// libturnstile: libturnstile-redis and so on. The first client of such a kind loads its module. Use this function to
// check at the start of a program that a module is usable.
//
//     for (const auto& module : turnstile::installed_modules())
//         if (!module.fault.empty()) print(module.name, module.fault);
//
// Thread safety: any thread may call it. It loads each module that exists.
#pragma once

#include <string>
#include <vector>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

// The state of one module.
struct module_status {
    // The name, like "redis". Its package is libturnstile-redis, and its CMake target turnstile::redis.
    std::string name;
    std::string servers;  // the kind of servers, like "Redis"
    // The path of the module's file, whether it exists or not. Empty if the module is linked into the program.
    std::string file{};
    // Why no client can use the module, in the words of a client's error. Empty if the module is usable.
    std::string fault{};
    // False if the file does not exist, and also if the program is linked without the module.
    bool present = false;
};

// Returns the modules in the order redis, sqlite, postgresql, mariadb.
[[nodiscard]] TURNSTILE_EXPORT std::vector<module_status> installed_modules();

}  // namespace turnstile
