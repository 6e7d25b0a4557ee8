// SPDX-License-Identifier: Apache-2.0
// request_knowledge: decides from earlier outcomes whether the servers know a kind of request.
//
// Servers with ZooKeeper's protocol that are not Apache ZooKeeper may not know a request. They answer "unimplemented",
// or close the connection. A connection may also break for another reason, so one end proves nothing. If several
// connections in a row end before the answer to such a request, this class considers the request the cause.
//
// | outcome of a request                                         | this kind of request then counts as            |
// |--------------------------------------------------------------|------------------------------------------------|
// | an answer, except "unimplemented"                            | known to the servers                           |
// | the answer "unimplemented"                                   | refused by the servers                         |
// | no answer, because k_ends connections in a row end before it | doubted, until a server answers such a request |
//
// A wrong decision costs requests, but breaks no guarantee to the user: the library then uses other requests with the
// same effect.
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.hpp"

namespace turnstile::zookeeper {

class request_knowledge {
public:
    static constexpr int k_ends = 3;

    void answered() noexcept;
    void refused() noexcept;
    // Notes that this connection of this session ended before the answer to a request of this object's kind came.
    void cut_off(const void* session, std::uint64_t connection) noexcept;

    [[nodiscard]] bool is_refused() const noexcept {
        return finding_.load(std::memory_order_relaxed) == refused_;
    }
    [[nodiscard]] bool is_doubted() const noexcept {
        return finding_.load(std::memory_order_relaxed) == doubted_;
    }

private:
    enum finding { open_, known_, refused_, doubted_ };

    std::atomic<finding> finding_{open_};  // changed under the lock
    base::mutex mutex_;
    int ends_ GUARDED_BY(mutex_) = 0;                   // number of connections in a row that ended
    const void* session_ GUARDED_BY(mutex_) = nullptr;  // the latest ended connection's session
    std::uint64_t connection_ GUARDED_BY(mutex_) = 0;
};

// Knowledge about the requests that are newer than ZooKeeper 3.4, shared by all sessions with the same servers.
struct known_requests {
    request_knowledge create2;
    request_knowledge containers;
    request_knowledge removals;    // removal of watches
    request_knowledge ephemerals;  // list of a session's znodes (3.6)
};

}  // namespace turnstile::zookeeper
