// SPDX-License-Identifier: Apache-2.0
// Tests the HTTP grammar of the admin page's request reader. The reader must refuse each malformed or ambiguous
// request, and close the connection.
#include "admin/http/request_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "admin/http/limits.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

using namespace std::string_literals;

// Returns the status of the refusal, 200 for a whole request, or 0 for an incomplete request.
int reader_status(const std::string& bytes, std::size_t step = 65'536) {
    request_reader reader;
    try {
        for (std::size_t at = 0; at < bytes.size(); at += step)
            reader.put(std::string_view{bytes}.substr(at, step));
        if (reader.has_head()) reader.expect_body(k_largest_body);
    } catch (const refusal& why) {
        return why.status();
    }
    return reader.is_whole() ? 200 : 0;
}

// Reads the bytes in one piece and then byte by byte. The status must be the same.
int status_in_pieces(const std::string& bytes) {
    const int whole = reader_status(bytes);
    EXPECT_EQ(reader_status(bytes, 1), whole) << bytes;
    return whole;
}

int status_with(const std::string& headers, const std::string& rest = "",
                const std::string& line = "POST /a HTTP/1.1") {
    return status_in_pieces(line + "\r\nHost: a\r\n" + headers + "\r\n" + rest);
}

int status_of_line(const std::string& line) {
    return status_in_pieces(line + "\r\nHost: a\r\n\r\n");
}

TEST(request_reader, reads_a_request) {
    request_reader reader{{.peer = "192.0.2.1"}};
    reader.put(
        "POST /a?b=1 HTTP/1.1\r\nHost: x\r\nX:  y \r\nx: z\r\nContent-Length: 2\r\n\r\n{}GET");
    ASSERT_TRUE(reader.is_whole());
    EXPECT_FALSE(reader.is_last());
    const auto asked = reader.take();
    EXPECT_EQ(asked.method, "POST");
    EXPECT_EQ(asked.target, "/a?b=1");
    EXPECT_EQ(asked.body, "{}");
    EXPECT_EQ(asked.peer, "192.0.2.1");
    EXPECT_EQ(asked.header("X"), "y");
    EXPECT_EQ(asked.count("X"), 2U);
    EXPECT_EQ(asked.header("Y"), "");
    EXPECT_TRUE(reader.has_begun());
    EXPECT_FALSE(reader.has_head());
}

TEST(request_reader, reads_requests_that_come_together) {
    request_reader reader;
    reader.put("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nGET /");
    EXPECT_EQ(reader.take().target, "/1");
    reader.put({});
    ASSERT_TRUE(reader.is_whole());
    EXPECT_EQ(reader.take().target, "/2");
    reader.put({});
    EXPECT_FALSE(reader.is_whole());
}

TEST(request_reader, knows_the_last_request) {
    const auto is_last = [](const std::string& text) {
        request_reader reader;
        reader.put(text);
        return reader.is_last();
    };
    EXPECT_FALSE(is_last("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_TRUE(is_last("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"));
    EXPECT_TRUE(is_last("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(request_reader, lengths_are_plain_numbers) {
    EXPECT_EQ(status_with("Content-Length: 2\r\n", "{}"), 200);
    EXPECT_EQ(status_with("Content-Length:  02 \r\n", "{}"), 200);
    for (const auto* wrong :
         {"2, 999", "2, 2", "2,", "2abc", "+2", "-2", "0x2", "2;", "2 2", "", "1e1",
          "-18446744073709551614", "18446744073709551618", "99999999999999999999"})
        EXPECT_EQ(status_with("Content-Length: "s + wrong + "\r\n", "{}"), 400) << wrong;
}

TEST(request_reader, a_length_comes_once) {
    EXPECT_EQ(status_with("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400);
    EXPECT_EQ(status_with("Content-Length: 2\r\ncontent-length: 3\r\n", "{}"), 400);
}

TEST(request_reader, no_transfer_coding_is_taken) {
    for (const auto* coding : {"xchunked", "chunked, identity", "gzip, chunked", "identity", "gzip",
                               "", "chunked, chunked", "chunked;a=b"})
        EXPECT_EQ(status_with("Transfer-Encoding: "s + coding + "\r\n", "0\r\n\r\n"), 400)
            << coding;
    EXPECT_EQ(status_with("Transfer-Encoding: chunked\x0b\r\n", "0\r\n\r\n"), 400);
    EXPECT_EQ(status_with("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"), 400);
    // The server requires a length, so it refuses a chunked body before it reads the first chunk.
    EXPECT_EQ(status_with("Transfer-Encoding: chunked\r\n", "0x2\r\n{}\r\n0\r\n\r\n"), 411);
    EXPECT_EQ(status_with("Transfer-Encoding: Chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"), 411);
}

TEST(request_reader, a_length_beside_a_transfer_coding) {
    for (const auto* coding : {"chunked", "gzip", "identity"}) {
        const auto other = "Transfer-Encoding: "s + coding + "\r\n";
        EXPECT_EQ(status_with("Content-Length: 2\r\n" + other, "0\r\n\r\n"), 400) << coding;
        EXPECT_EQ(status_with(other + "Content-Length: 2\r\n", "0\r\n\r\n"), 400) << coding;
    }
}

TEST(request_reader, control_characters) {
    for (int byte = 0; byte != 0x20; ++byte) {
        if (byte == '\t' || byte == '\n' || byte == '\r') continue;
        const std::string text(1, static_cast<char>(byte));
        EXPECT_EQ(status_with("X: a" + text + "b\r\n"), 400) << byte;
        EXPECT_EQ(status_with("X" + text + ": a\r\n"), 400) << byte;
        EXPECT_EQ(status_of_line("GET /" + text + " HTTP/1.1"), 400) << byte;
    }
    EXPECT_EQ(status_with("X: a\x7f\r\n"), 400);
    EXPECT_EQ(status_with("X: \tb \xc3\xa4\r\n"), 200);
}

TEST(request_reader, ends_of_lines) {
    EXPECT_EQ(status_in_pieces("GET / HTTP/1.1\nHost: a\n\n"), 400);
    EXPECT_EQ(status_with("X: a\nY: b\r\n"), 400);
    EXPECT_EQ(status_with("X: a\rY: b\r\n"), 400);
    EXPECT_EQ(status_with("X: a\r\r\n"), 400);
    EXPECT_EQ(status_in_pieces("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
}

TEST(request_reader, folded_headers) {
    EXPECT_EQ(status_with("X: a\r\n b\r\n"), 400);
    EXPECT_EQ(status_with("X: a\r\n\tb\r\n"), 400);
    EXPECT_EQ(status_with("X:\r\n Content-Length: 2\r\n"), 400);
    EXPECT_EQ(status_in_pieces("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), 400);
}

TEST(request_reader, names_of_headers) {
    for (const auto* wrong : {"X", ": a", "X : a", "X\t: a", "X(: a", "X@y: a", "\xc3\xa4: a"})
        EXPECT_EQ(status_with(wrong + "\r\n"s), 400) << wrong;
}

TEST(request_reader, hosts) {
    EXPECT_EQ(status_in_pieces("GET / HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(status_with("Host: a\r\n"), 400);
    EXPECT_EQ(status_with("host: b\r\n"), 400);
    EXPECT_EQ(status_in_pieces("GET / HTTP/1.0\r\n\r\n"), 200);
}

TEST(request_reader, versions) {
    EXPECT_EQ(status_of_line("GET / HTTP/1.0"), 200);
    EXPECT_EQ(status_of_line("PRI * HTTP/2.0"), 505);
    EXPECT_EQ(status_of_line("GET / HTTP/9.9"), 505);
    for (const auto* wrong : {"GET /", "GET / HTTP/1.2", "GET / HTTP/1.10", "GET / http/1.1",
                              "GET / HTTP/1.1 ", "GET / HTTP/7", "GET / HTTPS/1.1", "GET", ""})
        EXPECT_NE(status_of_line(wrong), 200) << wrong;
    EXPECT_EQ(status_of_line("GET /"), 400);
}

TEST(request_reader, targets) {
    for (const auto* wrong : {"a", "*", "a:1", "/a b", "", "/\xff", "/a#b", "ftp://a/"})
        EXPECT_EQ(status_of_line("GET "s + wrong + " HTTP/1.1"), 400) << wrong;
    EXPECT_EQ(status_of_line("GET\t/ HTTP/1.1"), 400);
    EXPECT_EQ(status_of_line("GET  / HTTP/1.1"), 400);
    EXPECT_EQ(status_of_line("G(T / HTTP/1.1"), 400);
}

TEST(request_reader, targets_with_a_host) {
    request_reader reader;
    reader.put("GET http://A/b?c HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(reader.take().target, "/b?c");
    reader.put("GET https://a?c HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(reader.take().target, "/?c");
    for (const auto* wrong : {"http://b/", "http://a:1/", "http://a@b/", "http:///", "http://"})
        EXPECT_EQ(status_of_line("GET "s + wrong + " HTTP/1.1"), 400) << wrong;
}

TEST(request_reader, sizes_of_heads) {
    const auto line = [](std::size_t size) { return "GET /" + std::string(size - 1, 'x'); };
    EXPECT_EQ(status_of_line(line(k_longest_target) + " HTTP/1.1"), 200);
    EXPECT_EQ(status_of_line(line(k_longest_target + 1) + " HTTP/1.1"), 414);
    EXPECT_EQ(reader_status(line(50'000)), 414);
    std::string many;
    for (std::size_t i = 1; i != k_most_headers; ++i) many += "X: 1\r\n";
    EXPECT_EQ(status_with(many), 200);
    EXPECT_EQ(status_with(many + "X: 1\r\n"), 431);
    EXPECT_EQ(reader_status("GET / HTTP/1.1\r\nX: " + std::string(50'000, 'x')), 431);
}

TEST(request_reader, sizes_of_bodies) {
    EXPECT_EQ(status_with("Content-Length: 16384\r\n", std::string(16'384, ' ')), 200);
    EXPECT_EQ(status_with("Content-Length: 16384\r\n", std::string(16'383, ' ')), 0);
    EXPECT_EQ(status_with("Content-Length: 16385\r\n"), 413);
    request_reader reader;
    reader.put("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
    EXPECT_THROW(reader.expect_body(0), refusal);
}

TEST(request_reader, no_request_waits_for_a_reply_before_its_body) {
    EXPECT_EQ(status_with("Expect: 100-continue\r\nContent-Length: 2\r\n", "{}"), 417);
}

}  // namespace
}  // namespace turnstile::admin
