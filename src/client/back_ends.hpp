// SPDX-License-Identifier: Apache-2.0
// make_coordinator: makes the coordinator for the kind of server that a connect string names by its scheme.
//
// | connect string                | kind                                                        |
// |-------------------------------|-------------------------------------------------------------|
// | "host:port,host:port/chroot"  | ZooKeeper: no scheme                                        |
// | "local:name/chroot"           | in memory, for the threads of this process                  |
// | "redis://host:port/chroot"    | Redis: the module libturnstile-redis                        |
// | "redis+sentinel://host/name"  | the same: the master that sentinels name                    |
// | "rediss://", "rediss+sentinel://" | the same with TLS                                       |
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

// A prefix of connect strings, and the kind of server that it means.
struct back_end {
    std::string_view prefix;                     // "redis://", "local:"
    std::string_view servers;                    // "Redis", for messages
    std::optional<modules::module_kind> module;  // empty: part of the core library
};

using zookeeper_maker = std::shared_ptr<core::coordinator> (*)(std::string_view connect_string,
                                                               const client_options& options);

// Replaces ZooKeeper in a run of the testing kit (turnstile/testing/deterministic_run.hpp): every ZooKeeper connect
// string then leads to `make`. The program calls it before its first client, and it stays in effect while the process
// lives.
TURNSTILE_EXPORT void stand_in_for_zookeeper(zookeeper_maker make) noexcept;

// Returns true if ZooKeeper servers may know the client by a user of SASL or by a certificate.
// `access_policy::creator_only` needs no credentials then.
[[nodiscard]] bool has_identity(std::string_view connect_string, const client_options& options);

// Throws std::system_error. `bad_connect_string`: also for an unknown scheme, and for a module that is absent or has
// another version. `bad_option`: the servers promise less than `options.require`. The message does not repeat the
// connect string, which may contain a password.
[[nodiscard]] std::shared_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                                  const client_options& options);

// The module of a connect string's kind. Error: bad_connect_string, also for a kind without a module.
[[nodiscard]] result<const modules::entry*> module_of(std::string_view connect_string);

}  // namespace turnstile::detail
