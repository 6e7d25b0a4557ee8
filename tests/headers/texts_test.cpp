// SPDX-License-Identifier: Apache-2.0
// Runs the examples in the comments of turnstile/text.hpp, ostream.hpp, fmt.hpp, session_state.hpp and log.hpp.
#include <spdlog/spdlog.h>

#include <iostream>
#include <string>
#include <string_view>

#include "headers/reader.hpp"
#include "turnstile/fmt.hpp"
#include "turnstile/ostream.hpp"
#include "turnstile/text.hpp"

namespace turnstile::tests {
namespace {

const result<guard> hold = error{errc::timeout, "/locks/orders: two are ahead"};

TEST(header_examples, text) {
    const client servers{own_tree()};
    reader log;
#include "examples/text.inc"
    EXPECT_EQ(log.calls(), 1);
}

TEST(header_examples, session_state) {
    client servers{own_tree()};
    static reader log;
#include "examples/session_state.inc"
}

TEST(header_examples, ostream){
#include "examples/ostream.inc"
}

TEST(header_examples, fmt){
#include "examples/fmt.inc"
}

TEST(header_examples, log) {
    static reader write;
    {
#include "examples/log.inc"
    } set_log_sink({});
    set_log_level(log_level::warning);
}

}  // namespace
}  // namespace turnstile::tests
