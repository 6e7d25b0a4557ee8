// SPDX-License-Identifier: Apache-2.0
// wire: the bytes of one connection, plain or encrypted, over Boost.Asio.
//
// Callbacks come from the loop's thread, never from within the call. After close() each of them still comes, with false.
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

    // The handshake, if the wire has one. Before anything else.
    virtual void open(finished then) = 0;
    // What has come, at most `size` bytes. The room stays valid until the callback.
    virtual void read_some(char* room, std::size_t size, transferred then) = 0;
    // All of `bytes`, which stay valid until the callback.
    virtual void write(std::string_view bytes, transferred then) = 0;
    // No more is written. What read_some() brings from now on is of no meaning.
    virtual void finish(finished then) = 0;
    virtual void close() = 0;
};

// `socket`: a connection that was accepted, non-blocking. Without `tls` the wire is plain.
[[nodiscard]] std::unique_ptr<wire> make_wire(boost::asio::io_context& loop,
                                              support::descriptor socket, const tls_context* tls);

}  // namespace turnstile::admin
