// SPDX-License-Identifier: Apache-2.0
// end_answers: what a server answers while the guardian ends a session, read from the bytes of one connection.
//
//     const auto got = ::recv(socket, answers.room().data(), answers.room().size(), 0);
//     if (answers.take(got) == end_answers::step::close) send_close();
//
// | step   | the server                                                          | what follows                |
// |--------|---------------------------------------------------------------------|-----------------------------|
// | wait   | has not answered yet                                                | further bytes               |
// | close  | has attached the session                                            | the request to close it     |
// | over   | says that there is no such session, or has closed it                | nothing                     |
// | broken | sent no answer of the protocol, or refused the close                | another server              |
//
// The steps depend on the bytes alone, not on how they came in pieces.
//
// Thread safety: one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace turnstile::guardian {

// The id of the close request, which the server's answer repeats.
inline constexpr std::int32_t k_close_id = 1;

class end_answers {
public:
    enum class step { wait, close, over, broken };

    // Called for each new connection.
    void restart() noexcept;
    // The buffer for the next bytes; never empty while take() says wait or close.
    [[nodiscard]] std::span<std::byte> room() noexcept;
    // `count` bytes have been read into room().
    [[nodiscard]] step take(std::size_t count) noexcept;
    // Overwrites the bytes: the answer to an attach contains the session's password.
    void wipe() noexcept;

private:
    [[nodiscard]] step judge(std::span<const std::byte> frame) noexcept;

    static constexpr std::size_t k_longest_frame = 1024;

    bool attached_ = false;
    std::array<std::byte, k_longest_frame> in_{};
    std::size_t received_ = 0;
};

}  // namespace turnstile::guardian
