// SPDX-License-Identifier: Apache-2.0
// survey_json: prints locks and their queues as JSON.
//
//     {"locks": [{"path": "/locks/a", "kind": "mutex", "contenders": 2, "permits": null,
//                 "holders": [{"znode": ..., "token": "0x52", "host": ...}], "waiters": [...]}],
//      "unreadable": ["/locks/secret"]}
//
// Sessions are hexadecimal text, because they do not fit into a double. Times are UTC in ISO 8601. Invalid UTF-8
// becomes U+FFFD.
//
// Thread safety: a pure function.
#pragma once

#include <string>

#include "turnstile/lock_survey.hpp"

namespace turnstile::cli {

// Returns one line, with its newline.
[[nodiscard]] std::string survey_json(const lock_survey& survey);

}  // namespace turnstile::cli
