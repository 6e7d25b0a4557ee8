// SPDX-License-Identifier: Apache-2.0
// byte_stream: a connection to one server with one deadline for all calls, and with TLS if the address requires TLS.
//
//     const auto link = open_stream(address, deadline, give_up.fd());
//     if (!link->write(packet) || !link->read(answer)) log(link->reason());
//
//     tcp_stream   a connection without TLS
//     tls_stream   a connection with TLS
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/seam/seam.hpp"
#include "support/descriptor.hpp"
#include "tls/tls.hpp"
#include "zookeeper/addresses.hpp"

namespace turnstile::zookeeper {

// The text of reason() for a stream whose deadline has passed.
inline constexpr std::string_view k_no_answer_in_time = "no answer in time";

class byte_stream {
public:
    byte_stream() = default;
    byte_stream(const byte_stream&) = delete;
    byte_stream& operator=(const byte_stream&) = delete;
    virtual ~byte_stream() = default;

    // Send or read all bytes. Return false if the stream has failed. All later calls then fail, too.
    [[nodiscard]] virtual bool write(std::string_view bytes) = 0;
    [[nodiscard]] virtual bool read(std::span<char> bytes) = 0;
    // Ends the stream, and waits until the server has ended it too. Otherwise the server could notice the end only
    // after the session's next connection. The server would then count two connections, or mistake the new connection
    // for the old connection.
    virtual void finish() = 0;
    [[nodiscard]] virtual std::string reason() const = 0;
};

class tcp_stream final : public byte_stream {
public:
    // Connects. Each function blocks until it is done, until `deadline` has passed, or until the descriptor `give_up`
    // becomes readable.
    tcp_stream(const socket_address& server, core::time_point deadline, int give_up);

    [[nodiscard]] bool write(std::string_view bytes) override;
    [[nodiscard]] bool read(std::span<char> bytes) override;
    void finish() override;
    [[nodiscard]] std::string reason() const override;

    [[nodiscard]] int socket() const noexcept { return socket_.get(); }
    // Waits until the socket is ready for `events`. Returns false if the wait has failed.
    [[nodiscard]] bool await(short events);

private:
    [[nodiscard]] bool fail(int why);

    support::descriptor socket_;
    core::time_point deadline_;
    const int give_up_;
    int failure_ = 0;  // errno, or ETIMEDOUT, ECANCELED or ECONNRESET from this class
};

class tls_stream final : public byte_stream {
public:
    // `server` must have settings for TLS. Blocks until the TLS handshake is done, with the limits of a tcp_stream.
    tls_stream(const socket_address& server, core::time_point deadline, int give_up);

    [[nodiscard]] bool write(std::string_view bytes) override;
    [[nodiscard]] bool read(std::span<char> bytes) override;
    void finish() override;
    [[nodiscard]] std::string reason() const override;

    // Returns the TLS stream, whose functions never wait (tls::stream); null before the handshake is done.
    [[nodiscard]] tls::stream* secured() noexcept { return secured_.get(); }
    [[nodiscard]] int socket() const noexcept { return tcp_.socket(); }

private:
    void agree(const tls::context& context, const std::string& host);
    [[nodiscard]] bool fail(std::string why);

    // The constructor makes the context before it connects `tcp_`, so that a bad certificate file prevents the
    // connection.
    const tls::context_outcome context_;
    tcp_stream tcp_;
    std::unique_ptr<tls::stream> secured_;
    std::string failure_;
};

[[nodiscard]] std::unique_ptr<byte_stream> open_stream(const socket_address& server,
                                                       core::time_point deadline, int give_up);

}  // namespace turnstile::zookeeper
