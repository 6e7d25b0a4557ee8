// SPDX-License-Identifier: Apache-2.0
// peer: a process that is guarded: its socket, its pidfd, its sessions.
//
// A peer is of the guardian's user, and its first message is a hello with a pidfd of itself. It opened that itself, so
// that its number cannot have become another process's. The end of the socket ends nothing: a process that closed it or
// became another program (exec) lives on. Its sessions end with the pidfd, and so do the copies of its descriptors.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "guardian/message.hpp"
#include "support/descriptor.hpp"

namespace turnstile::guardian {

inline constexpr std::size_t k_most_sessions = 4096;  // of one peer
inline constexpr std::size_t k_most_kept_open = 64;   // files of one peer

class peer {
public:
    explicit peer(support::descriptor socket);

    // Whether the process at the other end may be guarded at all.
    [[nodiscard]] bool admitted() const noexcept { return process_id_ > 0; }
    [[nodiscard]] pid_t process() const noexcept { return process_id_; }
    // -1 once there is nothing more to be read.
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] int pidfd() const noexcept { return pidfd_.get(); }

    // Takes all messages that are there. False: it broke the protocol; it is guarded no more.
    [[nodiscard]] bool read_all();
    // Nothing is left to be guarded, and nothing will come.
    [[nodiscard]] bool idle() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }
    [[nodiscard]] std::vector<int> kept_open() const;
    // The process has ended: what it told, to be closed.
    [[nodiscard]] std::vector<guard_session> take_sessions();

private:
    enum class receipt { some, none, broken };
    receipt read_one();
    bool apply(const message& value, support::descriptor&& passed);

    support::descriptor socket_;
    pid_t process_id_ = 0;
    support::descriptor pidfd_;
    std::map<std::int64_t, guard_session> sessions_;
    std::map<std::uint64_t, support::descriptor> kept_open_;  // closed with the peer
};

}  // namespace turnstile::guardian
