// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/unresolved_hosts.hpp"

#include <netdb.h>

#include "base/log.hpp"

namespace turnstile::zookeeper {

void unresolved_hosts::record(const std::string& host, int answer) {
    const base::lock_guard lock{mutex_};
    if (answer == 0) {
        if (answers_.erase(host) != 0)
            log::write(log_level::warning, "{}: the name can be resolved again", host);
        return;
    }
    if (!answers_.insert_or_assign(host, answer).second) return;
    log::write(log_level::warning,
               "{}: the name cannot be resolved ({}); the client cannot use this server until the "
               "name can be resolved",
               host, ::gai_strerror(answer));
}

std::string unresolved_hosts::reason() const {
    const base::lock_guard lock{mutex_};
    return answers_.empty() ? std::string{} : ::gai_strerror(answers_.begin()->second);
}

}  // namespace turnstile::zookeeper
