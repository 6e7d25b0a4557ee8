// SPDX-License-Identifier: Apache-2.0
// entry: the interface between the core library and a module. A module is a library with one back end, or with TLS for
// ZooKeeper.
//
// A module exports one function with C linkage, turnstile_module_<kind>. The core passes its services (host), and gets
// the module's functions (entry). The core and the module must have the same version. Only this function's signature
// and the first member of `entry` never change between versions.
//
// A module contains copies of the stateless helpers of src/base and src/local. For all other helpers it calls the host.
// These are the log, the fork count, the link to the guardian (a process that ends the sessions of dead processes), and
// the abort when memory is exhausted. A module that is linked in as an archive uses the core's own objects.
//
// Thread safety: all functions of an entry and of a host from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "tls/sasl.hpp"
#include "tls/tls.hpp"
#include "turnstile/file_health.hpp"
#include "turnstile/log.hpp"
#include "turnstile/redis.hpp"
#include "turnstile/result.hpp"

namespace turnstile::modules {

struct host {
    bool (*log_enabled)(log_level level) noexcept;
    void (*log_line)(log_level level, std::string_view line) noexcept;
    std::uint64_t (*process_generation)() noexcept;
    void (*end_out_of_memory)(const char* place) noexcept;  // does not return
    void (*tell_guardian)(guardian::guardian_link& to, const guardian::message& value) noexcept;
    std::uint64_t (*keep_open)(guardian::guardian_link& by, int descriptor) noexcept;
    bool (*ends)(guardian::guardian_link& by, std::string_view servers) noexcept;
};

struct wanted_servers {
    std::string_view connect_string;
    core::duration session_timeout{};
    std::shared_ptr<guardian::guardian_link> guardian{};  // null: no guardian
};

// A session whose process has ended. When the session started, the module sent these values to the guardian, a process
// that ends the sessions of dead processes (guardian/module_notice.hpp).
struct orphaned_session {
    std::string_view connect_string;
    core::duration timeout{};
    std::int64_t id = 0;
    std::string_view proof;
};

// A pointer is null if the module's kind does not need that function.
struct entry {
    const char* version;  // TURNSTILE_VERSION; the first member in every version
    // Throws std::system_error: bad_connect_string.
    std::shared_ptr<core::coordinator> (*make)(const wanted_servers& wanted);
    // Implements sql::check. `znode`, `created`: the hold's znode, and the number of the znode's creation.
    // `connection`: a connection object of the database's client library.
    result<void> (*check_row)(const std::string& znode, std::int64_t created, void* connection);
    // Implements redis::check. `path` does not include the chroot of `servers`.
    result<redis::script_check> (*check_of_script)(std::string_view servers,
                                                   const std::string& path);
    result<file_health> (*look_at_file)(std::string_view connect_string);
    // Ends the session. The server requires the session's id and its proof, a value that the server stores with the
    // session. Also succeeds if the server has no session with this id. Blocks at most until `until`, but the name
    // resolution may take longer.
    result<void> (*end_session)(const orphaned_session& which, core::time_point until);
    // Implements tls::make_context.
    tls::context_outcome (*make_tls_context)(const tls::settings& wanted,
                                             std::string_view plain_form);
    // Implements tls::make_sasl_exchange.
    tls::sasl_outcome (*make_sasl_exchange)(const sasl_options& wanted,
                                            const std::string& host) = nullptr;
};

using entry_function = const entry*(const host* services) noexcept;

// Every entry function calls attach() first. In a module that is linked in as an archive, attach() does nothing.
void attach(const host* services) noexcept;

}  // namespace turnstile::modules

// Begins the definition of an entry function, the only symbol that a module exports.
#define TURNSTILE_MODULE_ENTRY extern "C" [[gnu::visibility("default")]]
