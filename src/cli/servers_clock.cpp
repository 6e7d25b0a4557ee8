// SPDX-License-Identifier: Apache-2.0
#include "cli/servers_clock.hpp"

#include "turnstile/tools/path_trial.hpp"

namespace turnstile::cli {
namespace {

constexpr std::chrono::seconds k_patience{1};

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

}  // namespace

servers_clock::servers_clock(const client& servers, const std::string& lock_path) {
    const auto tried = try_path(servers, folder_of(lock_path), {.timeout = k_patience});
    if (!tried || !tried->clock) return;
    ahead_ = tried->clock->ahead;
    theirs_ = true;
}

}  // namespace turnstile::cli
