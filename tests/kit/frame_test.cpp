// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/frame.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "servers/wire.hpp"

namespace {

using namespace turnstile::testing;
using detail::wire_writer;

std::vector<std::byte> body(const wire_writer& fields) {
    const auto view = std::as_bytes(std::span{fields.text()});
    return {view.begin(), view.end()};
}

TEST(frame_test, reads_a_request) {
    const auto fields = wire_writer{}.int32(7).int32(opcode::create2).string("/a/b");
    const frame request{direction::to_server, frame_kind::request, 1, opcode::create2,
                        body(fields)};
    EXPECT_TRUE(request.is(frame_kind::request, opcode::create2));
    EXPECT_EQ(request.xid(), 7);
    EXPECT_EQ(request.path(), "/a/b");
    EXPECT_EQ(request.error(), 0);
    EXPECT_EQ(request.zxid(), 0);
}

TEST(frame_test, reads_the_first_path_of_a_multi) {
    const auto fields = wire_writer{}
                            .int32(7)
                            .int32(opcode::multi)
                            .int32(opcode::check)
                            .raw(std::string(1, '\0'))
                            .int32(-1)
                            .string("/held");
    const frame request{direction::to_server, frame_kind::request, 1, opcode::multi, body(fields)};
    EXPECT_EQ(request.path(), "/held");
}

TEST(frame_test, reads_a_reply_and_an_event) {
    const auto answer = wire_writer{}.int32(7).int64(0x100000002).int32(-101);
    const frame reply{direction::to_client, frame_kind::reply, 1, opcode::exists, body(answer)};
    EXPECT_EQ(reply.zxid(), 0x100000002);
    EXPECT_EQ(reply.error(), -101);
    EXPECT_EQ(reply.path(), "");

    const auto news = wire_writer{}.int32(-1).int64(-1).int32(0).int32(2).int32(3).string("/gone");
    const frame event{direction::to_client, frame_kind::watch_event, 1, 0, body(news)};
    EXPECT_EQ(event.xid(), -1);
    EXPECT_EQ(event.path(), "/gone");
}

TEST(frame_test, reads_the_session_of_both_handshakes) {
    const auto ask = wire_writer{}.int32(0).int64(5).int32(1000).int64(42);
    const auto answer = wire_writer{}.int32(0).int32(1000).int64(43);
    const frame to{direction::to_server, frame_kind::handshake, 1, 0, body(ask)};
    const frame from{direction::to_client, frame_kind::handshake, 1, 0, body(answer)};
    EXPECT_EQ(to.session_id(), 42);
    EXPECT_EQ(from.session_id(), 43);
    EXPECT_EQ(to.xid(), 0);
}

TEST(frame_test, rewrites_the_opcode_of_requests_only) {
    const auto fields = wire_writer{}.int32(7).int32(opcode::create_container).string("/a");
    frame request{direction::to_server, frame_kind::request, 1, opcode::create_container,
                  body(fields)};
    request.rewrite_opcode(opcode::unknown);
    const auto wanted = wire_writer{}.int32(7).int32(opcode::unknown).string("/a");
    EXPECT_EQ(std::vector(request.body().begin(), request.body().end()), body(wanted));
    EXPECT_EQ(request.op(), opcode::create_container);

    frame reply{direction::to_client, frame_kind::reply, 1, opcode::exists, body(fields)};
    EXPECT_THROW(reply.rewrite_opcode(opcode::unknown), std::logic_error);
}

TEST(frame_test, survives_bodies_that_are_cut_short) {
    const auto whole = body(wire_writer{}.int32(7).int32(opcode::create2).string("/a/b"));
    for (std::size_t n = 0; n < whole.size(); ++n) {
        std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
        for (const auto kind : {frame_kind::handshake, frame_kind::request, frame_kind::reply,
                                frame_kind::watch_event}) {
            const frame cut{direction::to_client, kind, 1, opcode::create2, part};
            EXPECT_EQ(cut.path(), "");
            (void)cut.session_id();
            (void)cut.error();
        }
    }
}

}  // namespace
