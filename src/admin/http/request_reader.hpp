// SPDX-License-Identifier: Apache-2.0
// request_reader: parses a connection's bytes into requests, after head_scan has checked the bytes of each head.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "admin/http/request.hpp"

namespace turnstile::admin {

// Finds the end of a request's head, and refuses bytes that different programs interpret differently.
//
// Boost.Beast parses the head afterwards. Beast 1.74 accepts folded lines, bytes above 127 in the target, and a list in
// `Content-Length`. So this scan and request_reader refuse them first, as RFC 9112 allows.
class head_scan {
public:
    // `bytes`: the request so far. Returns the size of the head with its empty line, or nothing if the head is
    // incomplete. Throws refusal: 400 grammar, 414 target, 431 head, 505 version.
    [[nodiscard]] std::optional<std::size_t> find_end(std::string_view bytes);

private:
    void check_line(std::string_view line);

    std::size_t seen_ = 0;   // bytes already checked
    std::size_t line_ = 0;   // start of the current line
    std::size_t lines_ = 0;  // complete lines
};

// Parses a connection's bytes into requests, one after another. It uses no socket.
//
//     request_reader reader;
//     reader.put(bytes);
//     if (reader.has_head()) reader.expect_body(k_largest_body);
//     if (reader.is_whole()) answer(reader.take());
//
// After a refusal the end of the request is unknown, so the caller must close the connection.
class request_reader {
public:
    // Each request starts as a copy of `blank`, which contains the data of the connection.
    explicit request_reader(http_request blank = {});

    // Adds received bytes. Throws refusal: 400, 411, 414, 417, 431, 505.
    void put(std::string_view bytes);

    // True if a byte of the next request has arrived.
    [[nodiscard]] bool has_begun() const noexcept { return !bytes_.empty() || has_head_; }
    [[nodiscard]] bool has_head() const noexcept { return has_head_; }
    [[nodiscard]] const http_request& head() const noexcept { return request_; }
    [[nodiscard]] bool announces_body() const noexcept { return body_ != 0; }
    // Checks the length of the body. Throws refusal: 400 for a body if none is allowed, 413 for more than `largest`
    // bytes.
    void expect_body(std::size_t largest) const;
    [[nodiscard]] bool is_whole() const noexcept { return has_head_ && bytes_.size() >= body_; }
    // True if the client will send no further request.
    [[nodiscard]] bool is_last() const noexcept { return last_; }
    [[nodiscard]] bool is_http_1_0() const noexcept { return http_1_0_; }

    // Returns the complete request. Bytes after it belong to the next request: call put({}) next. Throws like put().
    [[nodiscard]] http_request take();

private:
    void read_head(std::string_view head);
    void check_framing();
    void check_target();

    const http_request blank_;
    std::string bytes_;  // received bytes that are not in request_ yet
    head_scan scan_;
    http_request request_{};
    std::size_t body_ = 0;  // the announced size
    bool has_head_ = false;
    bool last_ = false;
    bool http_1_0_ = false;
};

}  // namespace turnstile::admin
