// SPDX-License-Identifier: Apache-2.0
// Tests the messages that open a session. The test contains the messages' bytes, because a real server sends only some
// of these messages.
#include "zookeeper/raw_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "zookeeper/packets.hpp"

namespace turnstile::zookeeper {
namespace {

using ::testing::HasSubstr;

std::string big_endian(std::uint64_t value, int size) {
    std::string out;
    for (int i = size - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
}

std::string frame(const std::string& bytes) {
    return big_endian(bytes.size(), 4) + bytes;
}

std::string text(const std::string& bytes) {
    return frame(bytes);
}

std::string attach_answer(std::uint64_t session, std::uint64_t timeout = 10'000,
                          bool read_only = false) {
    return frame(big_endian(0, 4) + big_endian(timeout, 4) + big_endian(session, 8) +
                 text(std::string(16, 'p')) + big_endian(read_only ? 1 : 0, 1));
}

std::string reply(std::int32_t request, std::int32_t error, const std::string& body = {}) {
    return frame(big_endian(static_cast<std::uint32_t>(request), 4) + big_endian(7, 8) +
                 big_endian(static_cast<std::uint32_t>(error), 4) + body);
}

std::string list_of(const std::vector<std::string>& paths) {
    std::string body = big_endian(paths.size(), 4);
    for (const auto& path : paths) body += text(path);
    return body;
}

// Returns the given answers, and then the end of the stream.
class scripted_stream final : public byte_stream {
public:
    explicit scripted_stream(std::string answers) : answers_{std::move(answers)} {}

    bool write(std::string_view bytes) override {
        written += bytes;
        return true;
    }
    bool read(std::span<char> bytes) override {
        if (answers_.size() < bytes.size()) return false;
        std::copy_n(answers_.begin(), bytes.size(), bytes.begin());
        answers_.erase(0, bytes.size());
        return true;
    }
    void finish() override {}
    std::string reason() const override { return "the connection has ended"; }

    std::string written;

private:
    std::string answers_;
};

opening open_at(const std::string& answers, const std::string& credentials = {}) {
    scripted_stream link{answers};
    return open_session(link, {.timeout_ms = 10'000, .credentials = credentials});
}

TEST(raw_session, that_owns_nothing_is_opened_and_marked) {
    scripted_stream link{attach_answer(5) + reply(1, 0, list_of({})) +
                         reply(2, 0, text(mark_of(5)))};
    const auto result = open_session(link, {.timeout_ms = 10'000});
    EXPECT_EQ(result.outcome, opening_outcome::opened);
    EXPECT_EQ(result.session.id, 5);
    EXPECT_EQ(std::string(result.session.password.data(), 16), std::string(16, 'p'));
    EXPECT_THAT(link.written, HasSubstr(text("/zookeeper/turnstile-0x5")));
}

// Each session of this library creates an ephemeral znode, its mark. The mark's creation time shows the clock of the
// servers' leader. If that time is invalid, the client can still use the session.
TEST(raw_session, knows_the_leaders_clock_by_its_mark) {
    const auto marked = [](std::uint64_t created) {
        return open_at(
            attach_answer(5) + reply(1, 0, list_of({})) +
            reply(2, 0,
                  text(mark_of(5)) + big_endian(7, 8) + big_endian(7, 8) + big_endian(created, 8)));
    };
    const auto before = boottime_clock::now();
    const auto told = marked(1'763'724'876'123);
    ASSERT_TRUE(told.clock);
    EXPECT_EQ(told.clock->shown.time_since_epoch(), std::chrono::milliseconds{1'763'724'876'123});
    EXPECT_GE(told.clock->at, before);
    EXPECT_LE(told.clock->at, boottime_clock::now());
    for (const std::uint64_t none : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0} / 2}) {
        EXPECT_EQ(marked(none).outcome, opening_outcome::opened);
        EXPECT_FALSE(marked(none).clock) << none;
    }
    EXPECT_FALSE(open_at(attach_answer(5) + reply(1, 0, list_of({})) + reply(2, 0)).clock);
}

TEST(raw_session, that_owns_a_znode_is_another_client_s) {
    const auto result = open_at(attach_answer(5) + reply(1, 0, list_of({"/l/a", "/l/b"})));
    EXPECT_EQ(result.outcome, opening_outcome::shared);
    EXPECT_EQ(result.owned.count, 2U);
    EXPECT_EQ(result.owned.paths.front(), "/l/a");
}

// The type -11 is the close request, which must not be sent.
TEST(raw_session, of_another_client_is_not_closed) {
    scripted_stream link{attach_answer(5) + reply(1, 0, list_of({"/l/a"}))};
    static_cast<void>(open_session(link, {.timeout_ms = 10'000}));
    EXPECT_EQ(link.written.find(big_endian(static_cast<std::uint32_t>(-11), 4)), std::string::npos);
}

TEST(raw_session, whose_mark_is_refused_is_good_all_the_same) {
    constexpr int k_no_auth = -102;
    const auto result = open_at(attach_answer(5) + reply(1, 0, list_of({})) + reply(2, k_no_auth));
    EXPECT_EQ(result.outcome, opening_outcome::opened);
}

TEST(raw_session, a_server_without_get_ephemerals_is_known_by_its_answer) {
    EXPECT_EQ(open_at(attach_answer(5) + reply(1, -6)).outcome, opening_outcome::unknowing);
}

TEST(raw_session, a_connection_that_ends_before_the_list_says_nothing) {
    const auto result = open_at(attach_answer(5));
    EXPECT_EQ(result.outcome, opening_outcome::cut_off);
    EXPECT_EQ(result.reason, "the connection has ended");
    EXPECT_EQ(open_at(attach_answer(5) + reply(1, 0, list_of({}))).outcome,
              opening_outcome::cut_off)
        << "nor one that ends before the mark";
    EXPECT_EQ(open_at(attach_answer(5) + reply(1, -118)).outcome, opening_outcome::cut_off)
        << "nor a session that has moved already";
}

TEST(raw_session, a_server_that_opens_none_is_passed_over) {
    EXPECT_EQ(open_at({}).outcome, opening_outcome::failed);
    EXPECT_EQ(open_at(attach_answer(0, 0)).outcome, opening_outcome::failed);
    EXPECT_EQ(open_at(frame("short")).outcome, opening_outcome::failed);
    EXPECT_EQ(open_at("\xff\xff\xff\xff").outcome, opening_outcome::failed);
    EXPECT_EQ(open_at(attach_answer(5, 10'000, true)).outcome, opening_outcome::read_only);
}

TEST(raw_session, credentials_go_first_and_their_refusal_is_left_to_the_c_client) {
    constexpr int k_auth_failed = -115;
    scripted_stream link{attach_answer(5) + reply(-4, 0) + reply(1, 0, list_of({})) + reply(2, 0)};
    EXPECT_EQ(open_session(link, {.timeout_ms = 10'000, .credentials = "me:secret"}).outcome,
              opening_outcome::opened);
    EXPECT_LT(link.written.find("me:secret"), link.written.find(text("/")));
    EXPECT_EQ(open_at(attach_answer(5) + reply(-4, k_auth_failed), "me:wrong").outcome,
              opening_outcome::opened);
}

// The server's list of znodes may be shorter than the length that it states. The reader must stop at the end of the
// message.
TEST(raw_session, a_list_that_lies_about_its_length_is_harmless) {
    const auto result =
        open_at(attach_answer(5) + reply(1, 0, big_endian(0x7fffffff, 4) + text("/a") + "\1"));
    EXPECT_EQ(result.outcome, opening_outcome::shared);
    EXPECT_EQ(result.owned.paths.size(), 1U);
    EXPECT_EQ(open_at(attach_answer(5) + reply(1, 0, "")).outcome, opening_outcome::cut_off);
}

TEST(raw_session, of_another_client_is_given_the_longest_time_out) {
    scripted_stream link{attach_answer(5)};
    lengthen(link, {5, {}});
    EXPECT_THAT(link.written, HasSubstr(big_endian(0x7fffffff, 4) + big_endian(5, 8)));
}

// A tunnel reads the first frame of a connection by the length in its first bytes.
TEST(attach_packets, have_a_known_length) {
    const auto whole = attach_packet({.timeout_ms = 10'000, .session = 0x123, .password = {}});
    for (std::size_t length = 4; length <= whole.size(); ++length)
        EXPECT_EQ(attach_length(whole.substr(0, length)), whole.size());
    EXPECT_EQ(attach_length(whole.substr(0, 3)), 4U);
    EXPECT_GT(attach_length("srvr"), k_longest_attach);
}

}  // namespace
}  // namespace turnstile::zookeeper
