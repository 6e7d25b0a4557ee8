// SPDX-License-Identifier: Apache-2.0
// take_options: what `turnstile ask` and `turnstile take` are told, and which contender is meant.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_option.hpp"
#include "cli/servers.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

struct take_options {
    server_settings servers;
    std::string path;
    std::string znode;                           // the contender that is meant; empty: the holder
    std::string by;                              // the operator, for the record
    std::string reason;                          // for the record
    std::chrono::milliseconds asked_for{5'000};  // between the request and the order
    std::optional<std::chrono::milliseconds> wait{};  // between the order and the deletion
    bool now = false;                                 // no request, no order
    bool yes = false;                                 // no question
    output_form form = output_form::text;
};

// The contender that is meant, of all that stand at the path; nothing if the lock is free. Error: bad_option, if
// several hold it, or none is called so.
[[nodiscard]] result<std::optional<contender>> chosen_contender(
    const std::vector<surveyed_lock>& locks, const take_options& options);

// "alice@web-2": the operator of this process.
[[nodiscard]] std::string operator_name();

}  // namespace turnstile::cli
