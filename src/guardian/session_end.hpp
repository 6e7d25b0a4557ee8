// SPDX-License-Identifier: Apache-2.0
// session_end: attaches a dead process's session to a server and closes it, without blocking.
//
// | state     | waits for                       | what the guardian does then                 |
// |-----------|---------------------------------|---------------------------------------------|
// | pausing   | the time for the next attempt   | connect to the next server of the list      |
// | securing  | the TLS handshake, if the server requires TLS | attach the session                    |
// | attaching | the answer to the attach        | if the session has ended already: over;     |
// |           |                                 | else close it, with SASL after the exchange |
// |           |                                 | of tokens                                   |
// | authenticating | a token of the server      | send the next token; at last close the session |
// | closing   | the answer to the close         | over                                        |
// | over      | nothing                         |                                             |
//
// If an attempt fails or takes too long, the next attempt uses the next server. The attempts stop when the session
// timeout has passed since the process's end, because the servers then expire the session.
//
// Each attach extends the session, like a request of its client. So the attach requests the shortest session timeout.
// The guardian gives up when it has tried all servers and one of them attached the session but refused to close it.
//
// This code writes the two requests itself, because the C client starts threads and blocks in name resolution. The
// functions of zookeeper/packets.hpp leave copies of the session's password in freed memory, so the guardian does not
// use them.
//
// With TLS or SASL, each attempt reads the files that the session's settings name; the guardian runs as the process's
// user, and so may read them. Only the SASL exchange may block: Cyrus SASL resolves this host's name, and Kerberos may
// request a ticket.
//
// Thread safety: one thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "guardian/end_answers.hpp"
#include "guardian/message.hpp"
#include "support/descriptor.hpp"
#include "tls/sasl.hpp"
#include "tls/tls.hpp"

namespace turnstile::guardian {

using time_point = std::chrono::steady_clock::time_point;

class session_end {
public:
    // `died`: when the guardian noticed the process's end, which may be earlier than `now`.
    session_end(guard_session session, time_point died, time_point now);
    ~session_end();
    session_end(session_end&&) noexcept = default;
    session_end& operator=(session_end&&) noexcept = default;

    // socket() returns the descriptor for poll(), or -1 in the state `pausing`. events() returns the events for poll().
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    [[nodiscard]] short events() const noexcept;
    [[nodiscard]] time_point wake_at() const noexcept;

    void on_ready(time_point now);
    void on_time(time_point now);
    [[nodiscard]] bool over() const noexcept { return state_ == state::over; }

private:
    enum class state { pausing, securing, attaching, authenticating, closing, over };

    void attempt(time_point now);
    void next_server(time_point now);
    // begin_securing() and go_on_securing() make the TLS handshake. They return false if the connection is unusable.
    [[nodiscard]] bool begin_securing(const endpoint& server);
    [[nodiscard]] bool go_on_securing();
    void send_attach();
    void send_close();
    // begin_authenticating() and send_token() make the SASL exchange. They return false if the exchange has failed or
    // cannot start.
    [[nodiscard]] bool begin_authenticating();
    [[nodiscard]] bool send_token(std::string_view from_server);
    [[nodiscard]] bool go_on_after(end_answers::step told);
    // Records that the server has attached the session but refused to close it. Returns false.
    [[nodiscard]] bool refuse() noexcept;
    // write_some() and read_some() return false if the connection is no longer usable.
    bool write_some();
    bool read_some();
    void finish() noexcept;

    guard_session session_;
    time_point give_up_;
    time_point wake_{};  // the end of the pause or of the attempt
    std::chrono::milliseconds patience_;
    std::size_t next_ = 0;
    bool is_refused_ = false;
    state state_ = state::pausing;
    support::descriptor socket_;
    tls::context_outcome context_;
    std::unique_ptr<tls::stream> secured_;  // null: without TLS
    short awaited_ = 0;                     // the event for which `securing` waits
    tls::sasl_outcome exchange_;
    std::int32_t tokens_ = 0;  // sent in this attempt
    packet out_;
    end_answers answers_;
};

}  // namespace turnstile::guardian
