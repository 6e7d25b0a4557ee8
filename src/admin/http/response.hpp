// SPDX-License-Identifier: Apache-2.0
// http_response: the answer to a request: a body, or a stream whose parts the server sends one by one.
//
// Thread safety: a value.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

struct http_response {
    int status = 200;
    std::string type{};  // content type; empty: no content
    std::string body{};
    std::vector<http_header> headers{};     // additional headers
    std::unique_ptr<http_stream> stream{};  // replaces the body
};

}  // namespace turnstile::admin
