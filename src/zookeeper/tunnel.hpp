// SPDX-License-Identifier: Apache-2.0
// tunnel: TLS for the C client. Debian's C client has no TLS, and C clients with TLS do not check the host name.
//
//     tunnel through{servers, own, [](const std::string& why) { ... }};
//     hand through.local_of("zk1:2281") to the C client in the place of the server
//
// For each server this process listens at a port of the loopback address. It forwards a connection to that port over
// TLS to the server, and at that time resolves the server's name and checks its certificate. There is one connection at
// a time, because the C client has only one: a newer connection ends the older one.
//
// Other users of the machine can connect to these ports too. So the tunnel forwards a connection only if its first
// frame, the C client's request to attach, contains the session's id and password. Only this process knows them.
//
// A write of the C client returns as soon as the kernel has the bytes, and so before the tunnel has sent them to the
// server. The time of sending that the library notes is earlier than the true time. So leases become shorter, never
// longer. docs/why/tls.md has the argument.
//
// Thread safety: all members from any thread. Call `stop` once, after the C client's handle was closed.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/wake_up.hpp"
#include "core/seam/coordinator.hpp"
#include "support/descriptor.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/connect_string.hpp"
#include "zookeeper/socket_address.hpp"

namespace turnstile::zookeeper {

class tunnel_relay;

class tunnel {
public:
    using failure_report = std::function<void(const std::string& why)>;

    // `limit`: the longest time for one attempt to reach a server. The tunnel calls `report` on its own thread. Throws
    // std::system_error if the process has no thread or descriptor left.
    tunnel(connect_string servers, const core::session_identity& own, core::duration limit,
           failure_report report);
    ~tunnel();
    tunnel(const tunnel&) = delete;
    tunnel& operator=(const tunnel&) = delete;

    // Returns the loopback address for `host`, a server or one of its addresses. Both texts have the form for the C
    // client. Throws std::system_error if no port is left.
    [[nodiscard]] std::string local_of(const std::string& host) EXCLUDES(mutex_);
    // Returns the server that the tunnel last reached for this loopback address; of length 0 if it reached none.
    [[nodiscard]] socket_address server_at(const socket_address& local) const EXCLUDES(mutex_);
    // Ends the tunnel. First sends the bytes that the C client has already written, for a second at most.
    void stop() noexcept EXCLUDES(mutex_);

private:
    struct entrance {
        std::string host;
        support::descriptor listener;
        socket_address server{};  // the server that was reached last
    };
    // A connection from which the first frame has not arrived yet.
    struct guest {
        support::descriptor socket;
        std::uint16_t port = 0;
        std::string frame{};
        core::time_point until{};
    };
    void run() EXCLUDES(mutex_);
    void turn() EXCLUDES(mutex_);
    void accept_at(std::uint16_t port) EXCLUDES(mutex_);
    [[nodiscard]] bool shows_frame(guest& from);
    [[nodiscard]] bool is_own(const std::string& frame) const noexcept;
    void carry(guest&& from) EXCLUDES(mutex_);
    [[nodiscard]] std::vector<socket_address> addresses_of(const std::string& host) const;
    void fail(const std::string& why);
    [[nodiscard]] std::vector<std::pair<std::uint16_t, int>> listeners() const EXCLUDES(mutex_);
    [[nodiscard]] bool is_stopped() const EXCLUDES(mutex_);

    const connect_string servers_;
    const core::session_identity own_;
    const core::duration limit_;
    const failure_report report_;

    mutable base::mutex mutex_;
    std::map<std::uint16_t, entrance> entrances_ GUARDED_BY(mutex_);  // by port
    bool stopped_ GUARDED_BY(mutex_) = false;

    base::wake_up changed_;
    // Only the tunnel's thread uses the following members.
    std::list<guest> guests_;
    std::unique_ptr<tunnel_relay> relay_;
    std::string last_failure_;
    std::thread thread_;
};

}  // namespace turnstile::zookeeper
