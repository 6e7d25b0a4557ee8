// SPDX-License-Identifier: Apache-2.0
#include "client/back_ends.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "base/path.hpp"
#include "client/chroot_creation.hpp"
#include "client/settings.hpp"
#include "guardian/guardian_link.hpp"
#include "local/coordinator.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::detail {

namespace {

using modules::module_kind;

// To add a kind of server, add a line here and a module.
constexpr std::array k_back_ends{
    back_end{"local:", "in-memory", {}},
    back_end{"redis://", "Redis", module_kind::redis},
    back_end{"rediss://", "Redis", module_kind::redis},
    back_end{"redis+sentinel://", "Redis", module_kind::redis},
    back_end{"rediss+sentinel://", "Redis", module_kind::redis},
    back_end{"sqlite:", "SQLite", module_kind::sqlite},
    back_end{"postgresql://", "PostgreSQL", module_kind::postgresql},
    back_end{"postgres://", "PostgreSQL", module_kind::postgresql},
    back_end{"mysql://", "MariaDB", module_kind::mariadb},
    back_end{"mariadb://", "MariaDB", module_kind::mariadb},
};

// Returns the guardian (a helper process) for a SQLite file, or null. The kernel frees this process's file locks when
// the process ends, so the client starts no guardian. But a guardian that has started this process keeps copies of the
// locked files' descriptors, and so the locks, until the process has ended. The guardian may have to kill other
// processes before the locks are free.
std::shared_ptr<guardian::guardian_link> guardian_of_files(const client_options& options) {
    if (options.guardian.use != guardian_use::inherited || !guardian::is_inherited())
        return nullptr;
    return guardian::obtain(options.guardian);
}

std::shared_ptr<core::coordinator> make_of_module(const back_end& found,
                                                  std::string_view connect_string,
                                                  const client_options& options) {
    const auto module = modules::find(*found.module, found.prefix);
    if (!module) throw_error(module.error());
    modules::wanted_servers wanted{connect_string, options.session_timeout};
    wanted.guardian = found.module == module_kind::sqlite ? guardian_of_files(options)
                                                          : guardian::obtain(options.guardian);
    return (*module)->make(wanted);
}

// Returns the kind of server that the scheme of the connect string names; null for ZooKeeper's connect strings and for
// unknown schemes.
const back_end* kind_of(std::string_view connect_string) noexcept {
    const auto* const found =
        std::find_if(k_back_ends.begin(), k_back_ends.end(),
                     [&](const auto& each) { return connect_string.starts_with(each.prefix); });
    return found == k_back_ends.end() ? nullptr : found;
}

// A connect string has a scheme if its first slash belongs to "://". Most ZooKeeper connect strings have no scheme:
// "host:port/chroot".
bool has_scheme(std::string_view connect_string) noexcept {
    const auto end = connect_string.find("://");
    return end != std::string_view::npos && connect_string.find('/') > end;
}

// Finds the kind of server that the user meant by "redis:/host" or "redis:host". A ZooKeeper server with the host name
// "redis" would have a port number after the colon.
const back_end* kind_without_slashes(std::string_view connect_string) noexcept {
    const auto found = std::find_if(k_back_ends.begin(), k_back_ends.end(), [&](const auto& each) {
        const auto scheme = each.prefix.substr(0, each.prefix.find(':') + 1);
        if (!connect_string.starts_with(scheme)) return false;
        const auto rest = connect_string.substr(scheme.size());
        const auto port = rest.substr(0, rest.find_first_of(",/ "));
        return port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos;
    });
    return found == k_back_ends.end() ? nullptr : &*found;
}

[[noreturn]] void throw_without_slashes(const back_end& kind) {
    throw_error(
        {errc::bad_connect_string,
         fmt::format("a connect string for {} servers must begin with {}, both slashes included",
                     kind.servers, kind.prefix)});
}

std::atomic<zookeeper_maker> in_place_of_zookeeper{nullptr};

// The message quotes no more of the connect string than its scheme, because the rest may contain a password.
[[noreturn]] void throw_unknown(std::string_view connect_string) {
    constexpr std::string_view k_separator = "://";
    std::string known;
    for (const auto& each : k_back_ends) known += fmt::format("'{}', ", each.prefix);
    throw_error(
        {errc::bad_connect_string,
         fmt::format("{} is no scheme of a connect string; the schemes are {}'zookeeper://' and "
                     "'zookeepers://'. "
                     "Without a scheme, write ZooKeeper's host:port[,host:port]...[/chroot]",
                     base::printable(connect_string.substr(
                         0, connect_string.find(k_separator) + k_separator.size())),
                     known)});
}

tls::settings tls_of(const tls_options& options) {
    tls::settings wanted{.enabled = options.enabled,
                         .ca_file = options.ca_file,
                         .cert_file = options.cert_file,
                         .key_file = options.key_file,
                         .key_password_file = options.key_password_file,
                         .crl_file = options.crl_file,
                         .server_name = options.server_name};
    if (!options.check_host_name) wanted.verify = tls::verification::authority;
    return wanted;
}

zookeeper::server_security security_of(const client_options& options) {
    return {.tls = tls_of(options.tls), .sasl = options.sasl};
}

void refuse_security_elsewhere(const back_end& kind, const client_options& options) {
    if (options.tls.enabled)
        throw_error({errc::bad_option, fmt::format("tls: this option is for ZooKeeper servers "
                                                   "only; for {}, set TLS in the connect string",
                                                   kind.servers)});
    if (tls::is_enabled(options.sasl))
        throw_error({errc::bad_option, fmt::format("sasl: this option is for ZooKeeper servers "
                                                   "only, and the connect string names {} servers",
                                                   kind.servers)});
}

std::shared_ptr<core::coordinator> coordinator_of(std::string_view connect_string,
                                                  const client_options& options) {
    if (const auto nul = connect_string.find('\0'); nul != std::string_view::npos)
        throw_error(
            {errc::bad_connect_string, fmt::format("byte {} of the connect string is a NUL", nul)});
    if (const auto* const found = kind_of(connect_string)) {
        refuse_security_elsewhere(*found, options);
        return found->module ? make_of_module(*found, connect_string, options)
                             : local::make_coordinator(connect_string);
    }
    if (has_scheme(connect_string) && !zookeeper::has_own_scheme(connect_string))
        throw_unknown(connect_string);
    if (const auto* const meant = kind_without_slashes(connect_string))
        throw_without_slashes(*meant);
    if (const auto make = in_place_of_zookeeper.load()) return make(connect_string, options);
    return zookeeper::make_coordinator(connect_string, guardian::obtain(options.guardian),
                                       options.attach_to_read_only == read_only_policy::allowed,
                                       security_of(options));
}

}  // namespace

bool has_identity(std::string_view connect_string, const client_options& options) {
    if (security_of(options).has_identity()) return true;
    if (!zookeeper::has_own_scheme(connect_string)) return false;
    const auto where = zookeeper::parse_connect_string(connect_string);
    return where && where->security() != nullptr && where->security()->has_identity();
}

void stand_in_for_zookeeper(zookeeper_maker make) noexcept {
    in_place_of_zookeeper = make;
    log::write(log_level::warning,
               "ZooKeeper connect strings lead to simulated servers, not to real ones");
}

result<const modules::entry*> module_of(std::string_view connect_string) {
    const auto* const found = kind_of(connect_string);
    if (found == nullptr || !found->module)
        return error{errc::bad_connect_string,
                     "no module of Turnstile connects to servers of this kind"};
    return modules::find(*found->module, found->prefix);
}

std::shared_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                    const client_options& options) {
    auto servers = coordinator_of(connect_string, options);
    if (options.create_chroot && !servers->chroot().empty())
        servers = std::make_shared<chroot_creation>(std::move(servers), acl_of(options));
    // Asks for the servers' promises only if options.require demands any, because promises() may send a request to the
    // servers.
    if (options.require == promises{}) return servers;
    if (const auto lacking = missing(servers->promises(), options.require); !lacking.empty()) {
        throw_error({errc::bad_option,
                     fmt::format("require: the servers '{}' promise less than required; {}",
                                 servers->describe(), lacking)});
    }
    return servers;
}

}  // namespace turnstile::detail
