// SPDX-License-Identifier: Apache-2.0
// server_knowledge: the software of a session's servers, and the requests that they know.
//
// Servers that know only the requests of ZooKeeper 3.4 have no create2 and no removal of watches. On such a server the
// client creates a znode with two requests: `create`, whose answer is the path, and a read of the new znode's Stat.
//
//     request_knowledge   decides whether the servers know a kind of request
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"
#include "zookeeper/answers.hpp"
#include "zookeeper/server_role.hpp"

namespace turnstile::zookeeper {

// Decides from earlier outcomes whether the servers know a kind of request.
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

// The request by which the client now creates a znode. `container` and `create2` are single requests; `create` and
// `stat` form a pair.
enum class create_step { none, container, create2, create, stat };

class server_knowledge {
public:
    // `examines`: if a server does not report its software, the session sends requests to find it out. `known` must
    // outlive this object.
    server_knowledge(known_requests& known, bool examines) : known_{known}, examines_{examines} {}

    // True if the servers may not know the removal of a path's watches.
    [[nodiscard]] bool lacks_removals() const noexcept {
        return lacks(known_.removals) || lacks(known_.create2);
    }
    // Returns the first request that creates a znode with this mode. Returns nothing if the servers do not know the
    // request and no other request can replace it.
    [[nodiscard]] std::optional<create_step> first_step(core::create_mode mode) const;
    // Learns from the answer to a request that was sent on `connection`: a removal of watches, or a request that
    // creates a znode. If the connection ended before the answer, the server may not know the request. `closed`: the
    // caller itself has ended the connection, so its end shows nothing.
    void learn_removal(std::uint64_t connection, const judged_code& word, bool closed);
    void learn_create(create_step step, std::uint64_t connection, const judged_code& word,
                      bool closed);

    // Adds the software, if it is known, to `told`, the server's answers about itself. Returns true if the session must
    // examine the server now.
    [[nodiscard]] bool begin_examination(server_answers& told);
    // True if the session examines servers, and the software is not known to be Apache ZooKeeper.
    [[nodiscard]] bool wants_examination() const noexcept {
        return examines_ && software_ != server_software::zookeeper;
    }
    // Judges the answer to the request to create a container. Apache ZooKeeper has containers since 3.5.3; other
    // servers with its protocol lack them.
    [[nodiscard]] server_answers examined(core::server_error answer, server_answers told);
    [[nodiscard]] bool is_foreign(const server_answers& told) const noexcept {
        return examines_ && told.software != server_software::zookeeper;
    }
    // Returns true in the first call, so that the session warns once about a server that is not Apache ZooKeeper.
    [[nodiscard]] bool take_warning() noexcept { return !std::exchange(warned_, true); }
    // False once a server has refused to report its pace (tickTime and syncLimit).
    [[nodiscard]] bool reports_pace() const noexcept { return !pace_refused_; }
    void pace_refused() noexcept { pace_refused_ = true; }

private:
    [[nodiscard]] bool lacks(const request_knowledge& request) const noexcept;
    void learn(request_knowledge& request, std::uint64_t connection, const judged_code& word,
               bool closed);

    known_requests& known_;
    const bool examines_;
    bool examined_ = false;
    bool warned_ = false;
    bool pace_refused_ = false;
    server_software software_ = server_software::unknown;
};

}  // namespace turnstile::zookeeper
