// SPDX-License-Identifier: Apache-2.0
// http_service: the interface through which an http_server gets answers to requests. http_response: such an answer.
//
//     http_stream   the parts of an answer without a known end
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/http/refusal.hpp"
#include "admin/http/request.hpp"

namespace turnstile::admin {

// The parts of an answer without a known end, such as server-sent events. The server calls next() at once, after each
// http_server::wake_streams(), and at least once a second. Only one call runs at a time, on any thread. The server
// destroys the stream when the client has disconnected.
class http_stream {
public:
    http_stream() = default;
    virtual ~http_stream() = default;
    http_stream(const http_stream&) = delete;
    http_stream& operator=(const http_stream&) = delete;

    // Returns the next part, or an empty text if no part is ready. Returns nothing at the end of the stream. Does not
    // block.
    [[nodiscard]] virtual std::optional<std::string> next() = 0;
};

// The answer to a request: a body, or a stream whose parts the server sends one by one.
struct http_response {
    int status = 200;
    std::string type{};  // content type; empty: no content
    std::string body{};
    std::vector<http_header> headers{};     // additional headers
    std::unique_ptr<http_stream> stream{};  // replaces the body
};

struct response_frame {
    bool closes = false;    // the connection closes after the answer
    bool http_1_0 = false;  // the client does not know chunked encoding
};

// Serializes the head of an answer. `common`: the headers of all answers. A header of the answer itself replaces the
// common header with the same name.
[[nodiscard]] std::string head_text(const http_response& response,
                                    const std::vector<http_header>& common,
                                    const response_frame& frame);

struct http_plan {
    std::size_t largest_body = 0;  // in bytes; 0: no body allowed
    bool waits = true;             // false: answer() runs on the loop's thread, so it must be quick
};

// The server first checks a request's syntax, its limits, its `Host` and its form. Then it calls admit(), reads the
// body, and calls answer().
//
// Thread safety: all members from any thread.
class http_service {
public:
    http_service() = default;
    virtual ~http_service() = default;
    http_service(const http_service&) = delete;
    http_service& operator=(const http_service&) = delete;

    // Decides how to handle a request, before the request's body arrives. Does not block. Throws refusal.
    [[nodiscard]] virtual http_plan admit(const http_request& head) = 0;
    // Answers a request. `plan` is the result of admit(). Throws refusal. For another exception the server answers 500.
    [[nodiscard]] virtual http_response answer(const http_request& request,
                                               const http_plan& plan) = 0;
    // Returns the answer to a refused request.
    [[nodiscard]] virtual http_response describe(const refusal& why) const;
};

}  // namespace turnstile::admin
