// SPDX-License-Identifier: Apache-2.0
// response_text: serializes the head of an answer.
//
// Thread safety: a pure function.
#pragma once

#include <string>
#include <vector>

#include "admin/http/response.hpp"

namespace turnstile::admin {

struct response_frame {
    bool closes = false;    // the connection closes after the answer
    bool http_1_0 = false;  // the client does not know chunked encoding
};

// `common`: the headers of all answers. A header of the answer itself replaces the common header with the same name.
[[nodiscard]] std::string head_text(const http_response& response,
                                    const std::vector<http_header>& common,
                                    const response_frame& frame);

}  // namespace turnstile::admin
