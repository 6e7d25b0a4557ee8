// SPDX-License-Identifier: Apache-2.0
#include "cli/take_options.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <climits>

namespace turnstile::cli {
namespace {

std::optional<contender> contender_called(const std::vector<surveyed_lock>& locks,
                                          const std::string& name) {
    for (const auto& lock : locks)
        for (const auto* part : {&lock.holders, &lock.waiters})
            for (const auto& entry : *part)
                if (entry.name == name) return entry;
    return std::nullopt;
}

}  // namespace

result<std::optional<contender>> chosen_contender(const std::vector<surveyed_lock>& locks,
                                                  const take_options& options) {
    if (!options.znode.empty()) {
        auto found = contender_called(locks, options.znode);
        if (found) return found;
        return error{errc::bad_option,
                     options.path + ": the queue has no contender with the name " + options.znode};
    }
    std::optional<contender> holder;
    for (const auto& lock : locks) {
        for (const auto& entry : lock.holders) {
            if (holder)
                return error{errc::bad_option,
                             options.path +
                                 ": several contenders hold the lock; turnstile show -o wide lists "
                                 "their znodes, and --znode selects one"};
            holder = entry;
        }
    }
    return holder;
}

std::string operator_name() {
    std::array<char, HOST_NAME_MAX + 1> host{};
    ::gethostname(host.data(), host.size() - 1);
    const auto* const user = ::getpwuid(::getuid());
    const std::string name = user != nullptr ? user->pw_name : std::to_string(::getuid());
    return name + "@" + host.data();
}

}  // namespace turnstile::cli
