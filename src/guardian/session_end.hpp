// SPDX-License-Identifier: Apache-2.0
// session_end: attaches a dead process's session to a server and closes it, without blocking.
//
// | state     | waits for                       | then                                        |
// |-----------|---------------------------------|---------------------------------------------|
// | pausing   | the time for the next attempt   | connect to the next server of the list      |
// | securing  | TLS to be agreed on, if the server is one with TLS | attach the session               |
// | attaching | the answer to the attach        | the session is over already: over; else     |
// |           |                                 | close it, with SASL after the exchange      |
// | authenticating | a token of the server      | the next token; in the end close it         |
// | closing   | the answer to the close         | over                                        |
// | over      | nothing                         |                                             |
//
// If an attempt fails or takes too long, the next attempt uses the next server. When the session timeout has passed
// since the process's end, no further attempt follows, since the servers expire the session without it.
//
// Each attach prolongs the session, like a request of its client. So the attach asks for the shortest session timeout.
// The guardian gives up once it has tried all servers and one of them attached the session but refused to close it.
//
// This code writes the two requests itself, since the C client has threads, and blocks while it resolves names. With
// TLS each attempt reads the files that the session's settings name, and with SASL the password's file. The guardian
// may read these files because it runs as the user of the process. Only the exchange of SASL may block: Cyrus SASL
// looks up the name of the machine, and Kerberos may need its servers for a ticket.
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
    // `died`: when the guardian noticed the process's end. The session may have waited since then.
    session_end(guard_session session, time_point died, time_point now);
    ~session_end();
    session_end(session_end&&) noexcept = default;
    session_end& operator=(session_end&&) noexcept = default;

    // The descriptor for poll(); -1 while pausing.
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
    // Returns false if the connection cannot be used.
    [[nodiscard]] bool begin_securing(const endpoint& server);
    [[nodiscard]] bool go_on_securing();
    void send_attach();
    void send_close();
    // Returns false if the exchange cannot be begun or has failed.
    [[nodiscard]] bool begin_authenticating();
    [[nodiscard]] bool send_token(std::string_view from_server);
    [[nodiscard]] bool go_on_after(end_answers::step told);
    // Handles a server that has attached the session but does not close it. Returns false.
    [[nodiscard]] bool refuse() noexcept;
    // Returns false if the connection cannot be used any more.
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
    short awaited_ = 0;                     // while securing
    tls::sasl_outcome exchange_;
    std::int32_t tokens_ = 0;  // sent in this attempt
    packet out_;
    end_answers answers_;
};

}  // namespace turnstile::guardian
