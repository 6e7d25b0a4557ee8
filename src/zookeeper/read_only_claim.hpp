// SPDX-License-Identifier: Apache-2.0
// read_only_claim: if a client may attach to read-only servers, the process must not have clients of other servers. A
// read_only_claim refuses a client that breaks this rule.
//
// Purpose: a handle of the C client that is attached read-only searches for a server that accepts writes. It stores
// that server's address in a variable of the process (`addr_rw_server`, zookeeper.c of 3.8.0 to 3.9.5). The next handle
// that connects uses that address, whatever its own servers are. So a client would open its session, send its
// credentials and take its locks at another client's servers. If the client has a session already, the wrong servers
// would report the session as expired, because they do not know the session.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <list>
#include <string>

#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

class read_only_claim {
public:
    // The claim lasts as long as the object. Throws std::system_error with `errc::bad_option` if a claim for other
    // servers exists, and at least one of the two claims is `read_only`.
    read_only_claim(const ensemble_address& servers, bool read_only);
    ~read_only_claim();
    read_only_claim(const read_only_claim&) = delete;
    read_only_claim& operator=(const read_only_claim&) = delete;

private:
    struct entry {
        std::string servers;  // sorted
        bool read_only = false;
        std::uint64_t generation = 0;  // the process's fork count: a child's claims are separate
    };
    struct registry;
    static registry& all() noexcept;

    std::list<entry>::iterator own_;
};

}  // namespace turnstile::zookeeper
