// SPDX-License-Identifier: Apache-2.0
// installed_modules: the back ends that this program can use, in addition to ZooKeeper and `local:`.
//
// The back ends for Redis, SQLite, PostgreSQL and MariaDB are separate libraries, called modules: libturnstile-redis
// and so on. They are installed beside libturnstile. The first client for such a server loads the module. Use this
// function at the start of a program to check that a module is usable.
//
//     for (const auto& module : turnstile::installed_modules())
//         if (!module.fault.empty()) print(module.name, module.fault);
//
// Thread safety: any thread may call installed_modules(). The call loads each module that exists.
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
    // The reason why clients cannot use the module, with the text of the client's error. Empty if the module is usable.
    std::string fault{};
    // False if the file does not exist, or if the program is linked statically and without the module.
    bool present = false;
};

// Returns the modules in the order redis, sqlite, postgresql, mariadb.
[[nodiscard]] TURNSTILE_EXPORT std::vector<module_status> installed_modules();

}  // namespace turnstile
