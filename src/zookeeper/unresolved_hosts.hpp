// SPDX-License-Identifier: Apache-2.0
// unresolved_hosts: which hosts of a connect string have no address now. The log tells each once when that changes: a
// server that is missing because of its name is not noticed while the others serve.
//
// Thread safety: all members from any thread.
#pragma once

#include <map>
#include <string>

#include "base/mutex.hpp"

namespace turnstile::zookeeper {

class unresolved_hosts {
public:
    // What getaddrinfo() has answered of a host; 0: it has an address.
    void record(const std::string& host, int answer);
    // Why the first of them has none; empty if all have.
    [[nodiscard]] std::string reason() const;

private:
    mutable base::mutex mutex_;
    std::map<std::string, int> answers_ GUARDED_BY(mutex_);  // none of a host that has an address
};

}  // namespace turnstile::zookeeper
