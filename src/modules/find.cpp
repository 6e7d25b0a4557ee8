// SPDX-License-Identifier: Apache-2.0
#include "modules/find.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "base/core_folder.hpp"
#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/process.hpp"
#include "turnstile/tools/modules.hpp"
#include "turnstile/version.hpp"

// Each of these symbols is null in a program that is not linked with its module. A weak reference alone does not make
// the linker take an object file from an archive.
extern "C" {
[[gnu::weak]] turnstile::modules::entry_function turnstile_module_tls;
[[gnu::weak]] turnstile::modules::entry_function turnstile_module_redis;
[[gnu::weak]] turnstile::modules::entry_function turnstile_module_sqlite;
[[gnu::weak]] turnstile::modules::entry_function turnstile_module_postgresql;
[[gnu::weak]] turnstile::modules::entry_function turnstile_module_mariadb;
}

namespace turnstile::modules {
namespace {

struct description {
    std::string_view name;
    std::string_view servers;
};

constexpr std::array<description, k_kinds.size()> k_descriptions{{{"tls", "ZooKeeper with TLS"},
                                                                  {"redis", "Redis"},
                                                                  {"sqlite", "SQLite"},
                                                                  {"postgresql", "PostgreSQL"},
                                                                  {"mariadb", "MariaDB"}}};

constexpr host k_services{
    .log_enabled = &log::enabled,
    .log_line = &log::write_line,
    .process_generation = &base::process_generation,
    .end_out_of_memory = [](const char* place) noexcept { base::end_out_of_memory(place); },
    .tell_guardian = [](guardian::guardian_link& to,
                        const guardian::message& value) noexcept { to.tell(value); },
    .keep_open = [](guardian::guardian_link& by,
                    int descriptor) noexcept { return by.keep_open(descriptor); },
    .ends = [](guardian::guardian_link& by,
               std::string_view servers) noexcept { return by.ends(servers); }};

std::array<std::atomic<const entry*>, k_kinds.size()> in_use{};

std::atomic<const entry*>& place_of(module_kind which) noexcept {
    return in_use[static_cast<std::size_t>(which)];
}

entry_function* linked_in(module_kind which) noexcept {
    switch (which) {
        case module_kind::tls: return &turnstile_module_tls;
        case module_kind::redis: return &turnstile_module_redis;
        case module_kind::sqlite: return &turnstile_module_sqlite;
        case module_kind::postgresql: return &turnstile_module_postgresql;
        case module_kind::mariadb: return &turnstile_module_mariadb;
    }
    return nullptr;
}

// OpenSSL cleans itself up at the exit of the process, unless its first call has the option OPENSSL_INIT_NO_ATEXIT
// (OPENSSL_init_crypto(3)). Then a session's thread may still use OpenSSL, for example to close the session of a static
// client. So this function passes the option before a session's thread calls OpenSSL. The function searches OpenSSL in
// `library` and its dependencies: a module that has no TLS itself may need a client library that has, such as libpq.
void keep_openssl_at_exit(void* library) noexcept {
    constexpr std::uint64_t k_no_atexit = 0x00080000;  // the option's value in <openssl/crypto.h>
    using starter = int(std::uint64_t, const void*);
    auto* const start = reinterpret_cast<starter*>(::dlsym(library, "OPENSSL_init_crypto"));
    if (start != nullptr) static_cast<void>(start(k_no_atexit, nullptr));
}

error refusal(std::string_view asker, std::string_view sentence) {
    return {errc::bad_connect_string, fmt::format("{}: {}", asker, sentence)};
}

result<const entry*> checked(const entry* given, module_kind which, const std::string& from,
                             std::string_view asker) {
    if (std::string_view{given->version} == TURNSTILE_VERSION) return given;
    return refusal(asker, fmt::format("the module {} has version {}, and this library has version "
                                      "{}; install the package {} in the library's version",
                                      from, given->version, TURNSTILE_VERSION, package_of(which)));
}

// Searches the folder for a file of the module with a version other than this library's. Returns that version; empty if
// the folder has no such file.
std::string other_version_in(const std::string& folder, module_kind which) {
    const std::string beginning = package_of(which) + ".so.";
    std::string version;
    std::error_code failed;
    for (std::filesystem::directory_iterator at{folder, failed}, end; !failed && at != end;
         at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(beginning) && name != file_of(which) &&
            name.size() - beginning.size() > version.size())
            version = name.substr(beginning.size());
    }
    return version;
}

error absent(const std::string& folder, module_kind which, std::string_view asker) {
    if (const auto other = other_version_in(folder, which); !other.empty())
        return refusal(
            asker,
            fmt::format("{} has the module {} in version {}, and this library has version {}; "
                        "install the package {} in the library's version",
                        folder, package_of(which), other, TURNSTILE_VERSION, package_of(which)));
    return refusal(
        asker, fmt::format("the module {}/{} does not exist; install the package {} in version {}",
                           folder, file_of(which), package_of(which), TURNSTILE_VERSION));
}

}  // namespace

std::string_view name_of(module_kind which) noexcept {
    return k_descriptions[static_cast<std::size_t>(which)].name;
}

std::string_view servers_of(module_kind which) noexcept {
    return k_descriptions[static_cast<std::size_t>(which)].servers;
}

std::string package_of(module_kind which) {
    return fmt::format("libturnstile-{}", name_of(which));
}

std::string file_of(module_kind which) {
    return fmt::format("{}.so.{}.{}", package_of(which), TURNSTILE_VERSION_MAJOR,
                       TURNSTILE_VERSION_MINOR);
}

bool is_linked_in(module_kind which) noexcept {
    return linked_in(which) != nullptr;
}

const entry* loaded(module_kind which) noexcept {
    return place_of(which).load(std::memory_order_acquire);
}

result<const entry*> load(const std::string& folder, module_kind which, std::string_view asker) {
    const std::string file = folder + "/" + file_of(which);
    std::error_code unseen;
    if (!std::filesystem::exists(file, unseen)) return absent(folder, which, asker);
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return refusal(
            asker,
            fmt::format("the module cannot be loaded ({}); install the package {} in version {}",
                        ::dlerror(), package_of(which), TURNSTILE_VERSION));
    const auto symbol = fmt::format("turnstile_module_{}", name_of(which));
    auto* const enter = reinterpret_cast<entry_function*>(::dlsym(library, symbol.c_str()));
    auto found =
        enter == nullptr
            ? result<const entry*>{refusal(
                  asker, fmt::format("{} is no module of Turnstile: it lacks the function {}", file,
                                     symbol))}
            : checked(enter(&k_services), which, file, asker);
    if (found)
        keep_openssl_at_exit(library);
    else
        ::dlclose(library);
    return found;
}

namespace {

result<const entry*> find_anew(module_kind which, std::string_view asker) {
    if (auto* const linked = linked_in(which)) {
        keep_openssl_at_exit(RTLD_DEFAULT);
        return checked(linked(&k_services), which, package_of(which), asker);
    }
    if (const auto folder = base::folder_of_core(); !folder.empty())
        return load(folder, which, asker);
    return refusal(
        asker,
        fmt::format(
            "this program is linked without the module {}; link CMake's target turnstile::{}",
            package_of(which), name_of(which)));
}

}  // namespace

// Two threads may load the module at the same time. Both get the same library, because the dynamic linker loads a file
// only once.
result<const entry*> find(module_kind which, std::string_view asker) {
    if (const auto* const known = loaded(which)) return known;
    const auto found = find_anew(which, asker);
    if (found) place_of(which).store(*found, std::memory_order_release);
    return found;
}

}  // namespace turnstile::modules

namespace turnstile {
namespace {

module_status status_of(modules::module_kind which) {
    module_status seen{std::string{modules::name_of(which)},
                       std::string{modules::servers_of(which)}};
    const auto folder = base::folder_of_core();
    const auto found = modules::find(which, modules::servers_of(which));
    if (!found) seen.fault = found.error().detail();
    if (modules::is_linked_in(which)) {
        seen.present = true;
    } else if (!folder.empty()) {
        seen.file = folder + "/" + modules::file_of(which);
        std::error_code unseen;
        seen.present = std::filesystem::exists(seen.file, unseen);
    }
    return seen;
}

}  // namespace

std::vector<module_status> installed_modules() {
    std::vector<module_status> all;
    for (const auto which : modules::k_kinds) all.push_back(status_of(which));
    return all;
}

}  // namespace turnstile
