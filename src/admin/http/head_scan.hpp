// SPDX-License-Identifier: Apache-2.0
// head_scan: finds the end of a request's head, and refuses bytes that different programs interpret differently.
//
// Boost.Beast parses the head afterwards. Beast 1.74 accepts folded lines, bytes above 127 in the target, and a list in
// `Content-Length`. So this scan and request_reader refuse them first, as RFC 9112 allows.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace turnstile::admin {

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

}  // namespace turnstile::admin
