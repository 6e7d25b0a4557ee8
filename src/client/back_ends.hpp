// SPDX-License-Identifier: Apache-2.0
// make_coordinator: makes the coordinator (the object that represents the servers) for a connect string. The string's
// scheme names the kind of server.
//
// | connect string                | kind                                                        |
// |-------------------------------|-------------------------------------------------------------|
// | "host:port,host:port/chroot"  | ZooKeeper: no scheme                                        |
// | "local:name/chroot"           | in memory, for the threads of this process                  |
// | "redis://host:port/chroot"    | Redis: the module libturnstile-redis                        |
// | "redis+sentinel://host/name"  | Redis: the master that the sentinels name                   |
// | "rediss://", "rediss+sentinel://" | Redis with TLS                                          |
// | "sqlite:/file?chroot=/a"      | SQLite: the module libturnstile-sqlite                      |
// | "postgresql://host/db"        | PostgreSQL: the module libturnstile-postgresql              |
// | "mysql://host/db"             | MariaDB: the module libturnstile-mariadb                    |
//
// Thread safety: pure functions. The coordinators that they make may start threads.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "modules/find.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/export.hpp"

namespace turnstile::detail {

struct back_end {
    std::string_view prefix;                     // "redis://", "local:"
    std::string_view servers;                    // "Redis", for messages
    std::optional<modules::module_kind> module;  // empty: the kind is part of the core library
};

using zookeeper_maker = std::shared_ptr<core::coordinator> (*)(std::string_view connect_string,
                                                               const client_options& options);

// Makes the library call `make` for every ZooKeeper connect string, for a run of the testing kit
// (turnstile/testing/deterministic_run.hpp). A program must call this before it makes its first client. No call undoes
// this.
TURNSTILE_EXPORT void stand_in_for_zookeeper(zookeeper_maker make) noexcept;

// True if ZooKeeper's servers may know the client by a SASL user or a certificate. Then `access_policy::creator_only`
// needs no credentials.
[[nodiscard]] bool has_identity(std::string_view connect_string, const client_options& options);

// Makes the coordinator. Throws std::system_error: `bad_connect_string`, also for an unknown scheme, and for a module
// that is missing or has another version; `bad_option` if the servers promise less than `options.require`. The message
// does not repeat the connect string, which may contain a password.
[[nodiscard]] std::shared_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                                  const client_options& options);

// Loads the module of the connect string's kind of server. Error: `bad_connect_string`, also if that kind has no
// module.
[[nodiscard]] result<const modules::entry*> module_of(std::string_view connect_string);

}  // namespace turnstile::detail
