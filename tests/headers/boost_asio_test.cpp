// SPDX-License-Identifier: Apache-2.0
// Runs the example of turnstile/boost_asio.hpp.
#include <utility>

#include <boost/asio.hpp>

#include "headers/reader.hpp"
#include "turnstile/boost_asio.hpp"

namespace boost_asio_example {

using namespace std::chrono_literals;

turnstile::tests::reader write;

#include "examples/boost_asio.inc"

TEST(header_examples, boost_asio) {
    turnstile::client servers{turnstile::tests::own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
    boost::asio::io_context io;
    std::exception_ptr thrown;
    boost::asio::co_spawn(io, ship(servers, orders),
                          [&](std::exception_ptr failure) { thrown = failure; });
    io.run();
    EXPECT_FALSE(thrown);
    EXPECT_EQ(write.calls(), 1);
    EXPECT_FALSE(orders.is_locked().value());
}

}  // namespace boost_asio_example
