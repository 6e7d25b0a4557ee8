// SPDX-License-Identifier: Apache-2.0
// raw_session: a session over a byte_stream, without the C client, for the questions that the C client cannot ask.
//
// Purpose: a server whose machine has restarted may give out the id and the password of a session that another client
// still uses (it counts ids from the milliseconds since boot). Such a session is no use: each of its two clients ends the
// other's locks. Only getEphemerals (ZooKeeper 3.6) tells: a session that was opened a moment ago owns no znode.
//
//     tcp_stream link{address, deadline, give_up.fd()};
//     const opening result = open_session(link, {.timeout_ms = 10'000});
//     if (result.outcome == opening_outcome::opened) hand result.session to the C client
//
// Each session makes one ephemeral znode, its mark, so that a later client of this library that is given the same id sees
// the session even while it owns no lock. The mark's folder is ZooKeeper's own, which every server has.
//
// Nothing here closes a session: the stream just ends, so that a session of another client goes on.
//
// Thread safety: none; functions block for as long as their stream does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/packets.hpp"

namespace turnstile::zookeeper {

// Longest part of a frame that is read; a list of what one session may own is far shorter.
inline constexpr std::size_t k_longest_frame = 4U << 20U;

// "/zookeeper/turnstile-0x100002d4f3a0000": not below a chroot.
[[nodiscard]] std::string mark_of(std::int64_t session);

// As requests have it: whole milliseconds, rounded up.
[[nodiscard]] std::int32_t wire_timeout(core::duration timeout) noexcept;

class raw_session {
public:
    explicit raw_session(byte_stream& link) noexcept : link_{link} {}

    // Nothing: no answer came; reason() says why. A time-out of 0 in the answer: the servers have no such session.
    [[nodiscard]] std::optional<attach_answer> attach(const attach_request& request);

    enum class listing { listed, unimplemented, unauthenticated, cut_off };
    // `owned` gets what the session owns. `credentials`: digest "user:password", sent first where there are any.
    [[nodiscard]] listing list(const std::string& credentials, path_list& owned);

    // The server's error number, 0 for success; nothing if no answer came.
    [[nodiscard]] std::optional<std::int32_t> create_ephemeral(const std::string& path);
    [[nodiscard]] std::optional<std::int32_t> remove(const std::string& path);
    // The leader's clock as the latest create_ephemeral() showed it; nothing if that failed.
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }

    // Reason for which the last call came to nothing.
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    [[nodiscard]] bool write(const std::string& packet);
    [[nodiscard]] bool read_frame();
    [[nodiscard]] bool read_body(std::size_t length);
    // The answer to `request`; what else comes is passed over, but a refusal of the credentials.
    [[nodiscard]] std::optional<reply_head> read_reply(std::int32_t request);
    [[nodiscard]] std::optional<std::int32_t> ask(const std::string& packet, std::int32_t request);

    byte_stream& link_;
    std::string frame_;
    std::string reason_;
    std::optional<core::clock_reading> clock_;
    std::int32_t last_request_ = 0;
};

struct opening_settings {
    std::int32_t timeout_ms = 0;
    std::string credentials{};  // as for list()
    bool allow_read_only = false;
    bool mark = true;
    bool asks_what_is_owned =
        true;  // false: the servers cannot say, and the session is taken unasked
};

enum class opening_outcome {
    opened,     // the session is this client's alone
    shared,     // another client's: it owns znodes already
    unknowing,  // the server does not know getEphemerals
    read_only,  // the server is cut off from its majority, and opens no session
    cut_off,    // the session was opened, and the connection ended before the list came
    failed,     // no session; `reason` says why
};

struct opening {
    opening_outcome outcome = opening_outcome::failed;
    core::session_identity session{};
    std::string reason{};
    path_list owned{};                           // of `shared`
    std::optional<core::clock_reading> clock{};  // of the leader, if the mark was made
};

[[nodiscard]] opening open_session(byte_stream& link, const opening_settings& settings);

// Gives a session that was found to be another client's the longest time-out that the server allows. Its own client has
// counted on its own, and the attach that found it may have shortened that.
void lengthen(byte_stream& link, const core::session_identity& session);

}  // namespace turnstile::zookeeper
