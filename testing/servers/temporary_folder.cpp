// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/temporary_folder.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

#include "servers/supervisor.hpp"
#include "servers/throw_errno.hpp"

namespace turnstile::testing {

namespace {

// Containers often limit /dev/shm to 64 MiB, which the data of two servers would fill.
constexpr std::uintmax_t k_least_memory = std::uintmax_t{1} << 30;

std::filesystem::path parent_folder() {
    constexpr const char* k_memory = "/dev/shm";
    std::error_code unknown;
    const auto room = std::filesystem::space(k_memory, unknown);
    if (!unknown && room.available >= k_least_memory && ::access(k_memory, W_OK | X_OK) == 0)
        return k_memory;
    return std::filesystem::temp_directory_path();  // the folder in TMPDIR, or /tmp
}

std::filesystem::path make_folder() {
    std::string name = parent_folder() / "turnstile-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) detail::throw_errno("cannot make " + name);
    return name;
}

}  // namespace

temporary_folder::temporary_folder() : path_{make_folder()}, owner_{::getpid()} {
    try {
        supervisor_ = std::make_unique<detail::supervisor>(detail::supervisor::ward::folder, path_);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
        throw;
    }
}

temporary_folder::~temporary_folder() {
    if (owner_ != ::getpid()) return;
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
    // If some files could not be removed, the supervisor tries again for a while.
    if (!failed) supervisor_->dismiss();
}

}  // namespace turnstile::testing
