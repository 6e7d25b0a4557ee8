// SPDX-License-Identifier: Apache-2.0
// unresolved_hosts: the hosts of a connect string without an address now. The log reports each change once: otherwise
// a server that is missing because of its name would go unnoticed while the others serve.
//
// Thread safety: all members from any thread.
#pragma once

#include <map>
#include <string>

#include "base/mutex.hpp"

namespace turnstile::zookeeper {

class unresolved_hosts {
public:
    // Records getaddrinfo()'s answer for a host; 0: it has an address.
    void record(const std::string& host, int answer);
    // The reason for which the first of them has none; empty if all have one.
    [[nodiscard]] std::string reason() const;

private:
    mutable base::mutex mutex_;
    std::map<std::string, int> answers_ GUARDED_BY(mutex_);  // no entry for a host with an address
};

}  // namespace turnstile::zookeeper
