// SPDX-License-Identifier: Apache-2.0
// addresses: resolves the names of the servers, and chooses the order in which a session tries the servers.
//
// Each time the C client resolves names, it reseeds the program's random() and drand48(), to shuffle its list of
// servers. leave_random_alone() prevents the reseeding and the shuffle, so this library gives the C client a shuffled
// list. The C client still draws from drand48() when it connects.
//
//     unresolved_hosts   the hosts that have no address now
//
// Thread safety: all functions from any thread.
#pragma once

#include <sys/socket.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/random.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

// A server's address for sockets, with its settings for TLS and SASL, and the address as text.
//
// Thread safety: a value.
struct socket_address {
    sockaddr_storage storage{};
    socklen_t length = 0;  // 0: no address
    std::string host{};    // the name that was resolved, which the certificate must contain
    std::shared_ptr<const server_security> security{};  // null: without TLS and SASL
};

// Returns "192.0.2.1:2181" or "[2001:db8::1]:2181"; empty if there is no address.
[[nodiscard]] std::string to_string(const socket_address& address, address_form form);

// The hosts of a connect string that have no address now. Logs each change once. Otherwise a server whose name has no
// address would remain unnoticed while the other servers serve.
//
// Thread safety: all members from any thread.
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

// Returns all addresses of the server's name; none if the name cannot be resolved now. Blocks.
[[nodiscard]] std::vector<socket_address> resolve(const ensemble_server& server);

// Returns the servers' addresses in random order. `missing` records the names without addresses. Blocks.
[[nodiscard]] std::vector<socket_address> shuffled_addresses(const ensemble_address& servers,
                                                             base::random& chance,
                                                             unresolved_hosts& missing);

struct server_list {
    std::string text;         // in the C client's form
    bool by_address = false;  // addresses replace at least one name
};

// Returns the servers in random order. Addresses replace a name that has several addresses. A name that cannot be
// resolved stays, and `missing` records it. After each failure the C client advances by two (ZOOKEEPER-2466). If
// the number of servers were even, it would try only half of them, and would not pause after a round of failures. So if
// the number is even, and no name has several addresses, the list contains one server twice. Blocks.
[[nodiscard]] server_list shuffled_servers(const ensemble_address& servers, base::random& chance,
                                           unresolved_hosts& missing);

// From now on, no handle of this process reseeds random() and drand48(). This also applies to handles that the program
// itself opens: they then try their servers in the order of the list. A session's move to the leader relies on this
// order, too.
void leave_random_alone() noexcept;

}  // namespace turnstile::zookeeper
