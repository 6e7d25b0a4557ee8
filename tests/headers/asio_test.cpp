// SPDX-License-Identifier: Apache-2.0
// Runs the example of turnstile/asio.hpp.
#include <utility>

#include <asio.hpp>

#include "headers/reader.hpp"
#include "turnstile/asio.hpp"

namespace asio_example {

using namespace std::chrono_literals;

turnstile::tests::reader write;

#include "examples/asio.inc"

TEST(header_examples, asio) {
    turnstile::client servers{turnstile::tests::own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    asio::io_context io;
    std::exception_ptr thrown;
    asio::co_spawn(io, ship(servers, orders),
                   [&](std::exception_ptr failure) { thrown = failure; });
    io.run();
    EXPECT_FALSE(thrown);
    EXPECT_EQ(write.calls(), 1);
    EXPECT_FALSE(orders.is_locked().value());
}

}  // namespace asio_example
