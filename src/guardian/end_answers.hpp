// SPDX-License-Identifier: Apache-2.0
// end_answers: parses a server's answers on one connection, while the guardian ends a session.
//
//     const auto got = ::recv(socket, answers.room().data(), answers.room().size(), 0);
//     if (answers.take(got) == end_answers::step::close) send_close();
//
// | step   | the server                                                          | what follows                |
// |--------|---------------------------------------------------------------------|-----------------------------|
// | wait   | has not answered yet                                                | further bytes               |
// | close  | has attached the session                                            | the SASL exchange if needed, |
// |        |                                                                     | then the request to close   |
// | token  | has sent a SASL token                                               | the next token to the server, |
// |        |                                                                     | or the request to close     |
// | over   | has no such session, or has closed the session                      | nothing                     |
// | broken | broke the protocol, refused the close, or sends too many bytes      | an attempt at another server |
//
// The steps depend only on the bytes, not on the pieces in which the bytes arrive.
//
// Thread safety: one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace turnstile::guardian {

// The id of the close request. The server's answer repeats it.
inline constexpr std::int32_t k_close_id = 1;

class end_answers {
public:
    enum class step { wait, close, token, over, broken };

    // Drops all bytes of the earlier connection. Call this for each new connection.
    void restart() noexcept;
    // True if the server has attached the session on this connection.
    [[nodiscard]] bool has_attached() const noexcept { return attached_; }
    // Makes take() treat the answer to `request` as a SASL token.
    void expect_token(std::int32_t request) noexcept { token_request_ = request; }
    // The SASL token that the server has sent. It exists after take() has returned step::token.
    [[nodiscard]] const std::string& token() const noexcept { return token_; }
    // The buffer for the next bytes. It is never empty while take() returns wait, close or token.
    [[nodiscard]] std::span<std::byte> room() noexcept;
    // Handles `count` bytes that the caller has read into room().
    [[nodiscard]] step take(std::size_t count);
    // Overwrites the received bytes, which contain the session's password.
    void wipe() noexcept;

private:
    [[nodiscard]] step judge(std::span<const std::byte> frame);
    [[nodiscard]] step read_token(std::span<const std::byte> frame);

    // A server's first Kerberos token has less than 1 KiB.
    static constexpr std::size_t k_longest_frame = 4096;

    bool attached_ = false;
    std::int32_t token_request_ = 0;  // 0: no token is expected
    std::string token_;
    std::array<std::byte, k_longest_frame> in_{};
    std::size_t received_ = 0;
    std::size_t total_ = 0;  // since restart()
};

}  // namespace turnstile::guardian
