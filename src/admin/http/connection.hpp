// SPDX-License-Identifier: Apache-2.0
// connection: one accepted socket, plain or encrypted, as cpp-httplib reads requests from it.
//
// A request has a deadline and so many bytes, headers and body together: a client that sends slowly, or headers without
// end, takes a thread for some seconds and no memory.
//
// Thread safety: one thread, but for the shutdown of its socket.
#pragma once

#include <httplib.h>

#include <array>
#include <cstddef>
#include <string>

#include "admin/http/tls.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::admin {

class connection : public httplib::Stream {
public:
    // The socket stays the caller's.
    explicit connection(int socket);

    [[nodiscard]] bool start_tls(const tls_context& context);
    // Whether a request begins within the time that a connection may be idle.
    [[nodiscard]] bool wait_for_request();

    [[nodiscard]] bool is_readable() const override;
    // False, too, once the peer has closed its side.
    [[nodiscard]] bool is_writable() const override;
    ssize_t read(char* to, std::size_t size) override;
    ssize_t write(const char* from, std::size_t size) override;
    void get_remote_ip_and_port(std::string& address, int& port) const override;
    void get_local_ip_and_port(std::string& address, int& port) const override;
    [[nodiscard]] socket_t socket() const override { return socket_; }

    using Stream::write;

private:
    // Until the socket is ready for `events` or the deadline has passed.
    [[nodiscard]] bool ready(short events, boottime_clock::time_point deadline) const;
    // Whether an encrypted call that gave `code` can go on; waits for what it needs.
    [[nodiscard]] bool go_on(int code, boottime_clock::time_point deadline) const;
    ssize_t receive();
    void arm();

    int socket_;
    tls_link tls_;
    std::array<char, 4'096> buffer_{};
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t left_ = 0;  // bytes of this request
    boottime_clock::time_point deadline_{};
};

}  // namespace turnstile::admin
