// SPDX-License-Identifier: Apache-2.0
// read_only_claim: separates clients that may attach to read-only servers from clients of other servers.
//
// Purpose: a handle of the C client that is attached read-only searches for a server that accepts writes and stores
// its address in a variable of the process (`addr_rw_server`, zookeeper.c of 3.8.0 to 3.9.5). The next handle that
// connects uses that server, whatever its own servers are: a client would open its session, send its credentials and
// take its locks at another client's servers, or learn that its session, unknown to them, has expired.
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
    // The claim lasts as long as the object. Throws std::system_error, `errc::bad_option`, if a claim for other
    // servers exists and either of the two is for read-only servers.
    read_only_claim(const connect_string& servers, bool read_only);
    ~read_only_claim();
    read_only_claim(const read_only_claim&) = delete;
    read_only_claim& operator=(const read_only_claim&) = delete;

private:
    struct entry {
        std::string servers;  // sorted
        bool read_only = false;
        std::uint64_t generation = 0;  // the process's: a child's claims are separate
    };
    struct registry;
    static registry& all() noexcept;

    std::list<entry>::iterator own_;
};

}  // namespace turnstile::zookeeper
