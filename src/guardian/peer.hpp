// SPDX-License-Identifier: Apache-2.0
// peer: a guarded process: its socket, its pidfd, its sessions.
//
// A peer belongs to the guardian's user, and its first message is a hello with a pidfd of the peer. The peer opened the
// pidfd itself, so the pidfd cannot belong to a later process with the same id. The end of the socket ends no session:
// the process may have closed the socket, or become another program (exec). The end of the process, which the pidfd
// shows, ends its sessions and the kept copies of its descriptors.
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

inline constexpr std::size_t k_most_sessions = 4096;  // for each peer; as many of modules
inline constexpr std::size_t k_most_kept_open = 64;   // files, for each peer

class peer {
public:
    explicit peer(support::descriptor socket);

    // True if the process at the other end may be guarded at all.
    [[nodiscard]] bool admitted() const noexcept { return process_id_ > 0; }
    [[nodiscard]] pid_t process() const noexcept { return process_id_; }
    // -1 after the end of the socket.
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] int pidfd() const noexcept { return pidfd_.get(); }

    // Reads all waiting messages. Returns false if the peer broke the protocol; then the peer is not guarded any more.
    [[nodiscard]] bool read_all();
    // Sends the message. Drops the message if it does not fit into the socket.
    void tell(const message& value) const;
    // True if there is nothing left to guard and no message can arrive.
    [[nodiscard]] bool idle() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept {
        return sessions_.size() + module_sessions_.size();
    }
    [[nodiscard]] std::vector<int> kept_open() const;
    // Returns the sessions, which the caller closes. Call it when the process has ended.
    [[nodiscard]] std::vector<guard_session> take_sessions();
    [[nodiscard]] std::vector<guard_module_session> take_module_sessions();
    // Returns the schemes of module sessions that the peer has named since the last call.
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
