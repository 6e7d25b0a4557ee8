// SPDX-License-Identifier: Apache-2.0
// tunnel: TLS for the C client. Debian's C client has no TLS, and C clients with TLS do not check the host name.
//
//     tunnel through{servers, limit, [](const std::string& why) { ... }};
//     hand through.local_of("zk1:2281") to the C client in the place of the server
//
// The tunnel listens at a loopback port for each server. When the C client connects to such a port, the tunnel resolves
// the server's name, connects to the server with TLS, checks its certificate, and forwards the bytes. The C client has
// only one connection at a time, so a new connection to the tunnel ends the previous connection.
//
// Other users of the machine can connect to these ports too. So the tunnel forwards a connection only if this process
// made it. The session's password would prove nothing, because a public formula computes it from the session's id.
//
// A write of the C client returns before the tunnel has sent the bytes to the server. So the library records an earlier
// time of sending than the true time. This can make a lease (the time for which the client relies on the session)
// shorter, but never longer (docs/why/tls.md).
//
// Thread safety: all members from any thread. Call `stop` once, after the C client's handle was closed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/coordinator.hpp"
#include "support/descriptor.hpp"
#include "support/wake_up.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/connect_string.hpp"

namespace turnstile::zookeeper {

class tunnel_relay;

class tunnel {
public:
    using failure_report = std::function<void(const std::string& why)>;

    // `limit`: the longest time for one attempt to reach a server. The tunnel calls `report` on its own thread. Throws
    // std::system_error if the process has no thread or descriptor left.
    tunnel(ensemble_address servers, core::duration limit, failure_report report);
    ~tunnel();
    tunnel(const tunnel&) = delete;
    tunnel& operator=(const tunnel&) = delete;

    // Returns the loopback address for `host`, which is a server's name or address. Both texts have the C client's
    // form. Throws std::system_error if no port is left.
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
    // A connection of the C client, before its first frame, the request to attach, has arrived.
    struct begun_connection {
        support::descriptor socket;
        std::uint16_t port = 0;
        std::string frame{};
    };
    void run() EXCLUDES(mutex_);
    void turn() EXCLUDES(mutex_);
    void accept_at(std::uint16_t port) EXCLUDES(mutex_);
    void read_frame() EXCLUDES(mutex_);
    void carry(begun_connection&& from) EXCLUDES(mutex_);
    [[nodiscard]] std::vector<socket_address> addresses_of(const std::string& host) const;
    void fail(const std::string& why);
    [[nodiscard]] std::vector<std::pair<std::uint16_t, int>> listeners() const EXCLUDES(mutex_);
    [[nodiscard]] bool is_stopped() const EXCLUDES(mutex_);

    const ensemble_address servers_;
    const core::duration limit_;
    const failure_report report_;

    mutable base::mutex mutex_;
    std::map<std::uint16_t, entrance> entrances_ GUARDED_BY(mutex_);  // by port
    bool stopped_ GUARDED_BY(mutex_) = false;

    support::wake_up changed_;
    // Only the tunnel's thread uses the following members.
    std::optional<begun_connection> begun_;
    std::unique_ptr<tunnel_relay> relay_;
    std::string last_failure_;
    bool met_stranger_ = false;  // the log has the warning about other programs
    std::thread thread_;
};

}  // namespace turnstile::zookeeper
