// SPDX-License-Identifier: Apache-2.0
// unresolved_hosts: the hosts of a connect string that have no address now. Logs each change once. Otherwise a server
// whose name has no address would remain unnoticed while the other servers serve.
//
// Thread safety: all members from any thread.
#pragma once

#include <map>
#include <string>

#include "base/mutex.hpp"

namespace turnstile::zookeeper {

class unresolved_hosts {
public:
    // Records the result of getaddrinfo() for a host; 0 means that the host has an address.
    void record(const std::string& host, int answer);
    // Returns the reason why one of the connect string's hosts has no address; empty if all hosts have addresses.
    [[nodiscard]] std::string reason() const;

private:
    mutable base::mutex mutex_;
    std::map<std::string, int> answers_ GUARDED_BY(mutex_);  // no entry for a host with an address
};

}  // namespace turnstile::zookeeper
