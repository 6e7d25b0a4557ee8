// SPDX-License-Identifier: Apache-2.0
// wire: sends and receives the bytes of one connection, plain or encrypted, with Boost.Asio.
//
// The loop's thread calls the callbacks, but never inside the call that starts an operation. After close(), each
// pending callback is still called, with false.
//
// Thread safety: the loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "admin/http/tls.hpp"
#include "support/descriptor.hpp"

namespace turnstile::admin {

class wire {
public:
    using finished = std::function<void(bool good)>;
    using transferred = std::function<void(bool good, std::size_t count)>;

    wire() = default;
    virtual ~wire() = default;
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;

    // Makes the TLS handshake, if the connection is encrypted. Call this first.
    virtual void open(finished then) = 0;
    // Receives at most `size` bytes. `room` must stay valid until the callback.
    virtual void read_some(char* room, std::size_t size, transferred then) = 0;
    // Sends all of `bytes`, which must stay valid until the callback.
    virtual void write(std::string_view bytes, transferred then) = 0;
    // Ends the sending direction. The caller must ignore bytes that arrive later.
    virtual void finish(finished then) = 0;
    virtual void close() = 0;
};

// `socket`: an accepted, non-blocking connection. `tls`: null for a plain connection.
[[nodiscard]] std::unique_ptr<wire> make_wire(boost::asio::io_context& loop,
                                              support::descriptor socket, const tls_context* tls);

}  // namespace turnstile::admin
