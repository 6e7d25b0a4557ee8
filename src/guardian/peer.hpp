// SPDX-License-Identifier: Apache-2.0
// peer: the guardian's data about one guarded process: the process's socket, pidfd and sessions.
//
// The process runs as the guardian's user. Its first message is a hello with a pidfd, which the process itself opened.
// So the pidfd cannot belong to a later process with the same id.
//
// When the pidfd shows that the process has ended, the guardian ends the process's sessions, and closes the copies of
// the process's descriptors. The end of the socket alone ends nothing: the process may have closed the socket, or
// replaced its program (exec).
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "guardian/message.hpp"
#include "support/descriptor.hpp"

namespace turnstile::guardian {

// The guardian guards at most this many ZooKeeper sessions of one process. The same limit applies to the process's
// sessions that use a module, a separate library for one kind of server.
inline constexpr std::size_t k_most_sessions = 4096;
inline constexpr std::size_t k_most_kept_open = 64;  // files, for each peer

class peer {
public:
    explicit peer(support::descriptor socket);

    // True if the guardian may guard the process at the other end.
    [[nodiscard]] bool admitted() const noexcept { return process_id_ > 0; }
    [[nodiscard]] pid_t process() const noexcept { return process_id_; }
    // socket() returns -1 if the peer has closed its socket. pidfd() returns the process's pidfd.
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] int pidfd() const noexcept { return pidfd_.get(); }

    // Reads all messages that have arrived. Returns false if the peer broke the protocol. The caller must then stop
    // guarding it.
    [[nodiscard]] bool read_all();
    // Sends the message, or drops it if it does not fit into the socket.
    void tell(const message& value) const;
    // True if nothing is guarded and no message can arrive any more.
    [[nodiscard]] bool idle() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept {
        return sessions_.size() + module_sessions_.size();
    }
    [[nodiscard]] std::vector<int> kept_open() const;
    // Removes and returns the sessions, which the caller must close. Call this when the process has ended.
    [[nodiscard]] std::vector<guard_session> take_sessions();
    [[nodiscard]] std::vector<guard_module_session> take_module_sessions();
    // Returns the schemes of those sessions that use a module (a library for one kind of server), and that have arrived
    // since the last call.
    [[nodiscard]] std::set<std::string> take_schemes() noexcept {
        return std::exchange(new_schemes_, {});
    }

private:
    enum class receipt { some, none, broken };
    receipt read_one();
    bool apply(const message& value, support::descriptor&& passed);

    support::descriptor socket_;
    pid_t process_id_ = 0;
    support::descriptor pidfd_;
    std::map<std::int64_t, guard_session> sessions_;
    std::map<std::uint64_t, guard_module_session> module_sessions_;
    std::set<std::string> new_schemes_;
    std::map<std::uint64_t, support::descriptor> kept_open_;  // closed with the peer
};

}  // namespace turnstile::guardian
