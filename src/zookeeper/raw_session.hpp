// SPDX-License-Identifier: Apache-2.0
// raw_session: a session over a byte_stream and without the C client, for requests that the C client does not have.
//
// Purpose: a server counts session ids from the milliseconds since its machine's start. If the machine has restarted,
// the server may assign the id and the password of a session that another client still uses. Then each of these two
// clients can end the locks of the other. A new session owns no znode, so the request getEphemerals (ZooKeeper 3.6)
// reveals a session that is already in use.
//
//     tcp_stream link{address, deadline, give_up.fd()};
//     const opening result = open_session(link, {.timeout_ms = 10'000});
//     if (result.outcome == opening_outcome::opened) hand result.session to the C client
//
// Each session creates one ephemeral znode, the session mark. So a later client of this library that gets the same
// session notices that the session is in use, even if it owns no lock. The session mark is a child of the znode
// /zookeeper, which every server has.
//
// No function here closes a session. Only the stream ends, so that a session of another client continues.
//
// Thread safety: none. The functions block as long as their stream does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/byte_stream.hpp"
#include "zookeeper/packets.hpp"

namespace turnstile::zookeeper {

// raw_session reads at most this many bytes of a frame. The longest answer that it needs, the list of one session's
// znodes, is far shorter.
inline constexpr std::size_t k_longest_frame = 4U << 20U;

// Returns the path of the session mark, the znode that shows that the session is in use. An example is
// "/zookeeper/turnstile-0x100002d4f3a0000". The path is never below a chroot.
[[nodiscard]] std::string mark_of(std::int64_t session);

// Returns the timeout as requests contain it: whole milliseconds, rounded up.
[[nodiscard]] std::int32_t wire_timeout(core::duration timeout) noexcept;

class raw_session {
public:
    // `server`: if the address has settings for SASL, each attach authenticates the client; null: no authentication.
    // The caller keeps the address alive.
    explicit raw_session(byte_stream& link, const socket_address* server = nullptr) noexcept
        : link_{link}, server_{server} {}

    // Returns nothing if no answer came or the server refuses the user; reason() has the reason. A timeout of 0 in the
    // answer means that the servers have no such session.
    [[nodiscard]] std::optional<attach_answer> attach(const attach_request& request);
    // Reads the answer to an attach request that the caller has written. Returns what attach() returns.
    [[nodiscard]] std::optional<attach_answer> finish_attach();
    [[nodiscard]] const std::string& attach_frame() const noexcept { return attach_frame_; }

    enum class listing { listed, unimplemented, unauthenticated, sasl_wanted, cut_off };
    // Lists the session's znodes into `owned`. First sends `credentials`, a digest "user:password", if they are not
    // empty.
    [[nodiscard]] listing list(const std::string& credentials, path_list& owned);

    // create_ephemeral() and remove() return the server's error number, or 0 for success; nothing if no answer came.
    [[nodiscard]] std::optional<std::int32_t> create_ephemeral(const std::string& path);
    [[nodiscard]] std::optional<std::int32_t> remove(const std::string& path);
    // Returns the clock of the servers' leader, from the latest create_ephemeral(); nothing if that call failed.
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }

    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

private:
    [[nodiscard]] bool authenticate();
    [[nodiscard]] bool fail_sasl(const std::string& why);
    [[nodiscard]] bool write(const std::string& packet);
    [[nodiscard]] bool read_frame();
    [[nodiscard]] bool read_body(std::size_t length);
    // Returns the answer to `request`, or the server's refusal of the credentials. Skips all other messages.
    [[nodiscard]] std::optional<reply_head> read_reply(std::int32_t request);
    [[nodiscard]] std::optional<std::int32_t> ask(const std::string& packet, std::int32_t request);

    byte_stream& link_;
    const socket_address* const server_;
    std::string frame_;
    std::string attach_frame_;
    std::string reason_;
    std::optional<core::clock_reading> clock_;
    std::int32_t last_request_ = 0;
};

struct opening_settings {
    std::int32_t timeout_ms = 0;
    std::string credentials{};  // see list()
    bool allow_read_only = false;
    bool mark = true;
    const socket_address* server = nullptr;  // see the constructor of raw_session
    bool asks_what_is_owned =
        true;  // false: the servers cannot list, and the session is used unchecked
};

enum class opening_outcome {
    opened,     // only this client has the session
    shared,     // another client has the session: it owns znodes already
    unknowing,  // the server does not know getEphemerals
    read_only,  // the server has no majority, and opens no session
    cut_off,    // the connection ended before the list of the session's znodes came
    failed,     // no session; `reason` says why
};

struct opening {
    opening_outcome outcome = opening_outcome::failed;
    core::session_identity session{};
    std::string reason{};
    path_list owned{};                           // for `shared`
    std::optional<core::clock_reading> clock{};  // the leader's clock, if the mark was created
};

[[nodiscard]] opening open_session(byte_stream& link, const opening_settings& settings);

// Gives another client's session the longest timeout that the server allows. The other client relies on its own
// timeout, which this client's attach may have shortened.
void lengthen(byte_stream& link, const core::session_identity& session);

}  // namespace turnstile::zookeeper
