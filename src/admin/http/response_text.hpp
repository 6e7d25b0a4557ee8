// SPDX-License-Identifier: Apache-2.0
// response_text: the head of an answer as bytes.
//
// Thread safety: a pure function.
#pragma once

#include <string>
#include <vector>

#include "admin/http/response.hpp"

namespace turnstile::admin {

struct response_frame {
    bool closes = false;    // the connection closes behind the answer
    bool http_1_0 = false;  // of the request: such a client knows no chunks
};

// `common`: headers of all answers; the answer's own header replaces its namesake.
[[nodiscard]] std::string head_text(const http_response& response,
                                    const std::vector<http_header>& common,
                                    const response_frame& frame);

}  // namespace turnstile::admin
