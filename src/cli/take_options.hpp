// SPDX-License-Identifier: Apache-2.0
// take_options: the options of `turnstile ask` and `turnstile take`, and the choice of the contender.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/option_types.hpp"
#include "cli/servers.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

struct take_options {
    server_settings servers;
    std::string path;
    std::string znode;                                // the contender's; empty: the holder's
    std::string by;                                   // the operator, for the record
    std::string reason;                               // for the record
    std::chrono::milliseconds asked_for{5'000};       // between the request and the order
    std::optional<std::chrono::milliseconds> wait{};  // between the order and the deletion
    bool now = false;                                 // without request and order
    bool yes = false;                                 // without a question
    output_form form = output_form::text;
};

// Chooses the contender at the path; nothing if the lock is free. Error: bad_option, if there are several holders, or
// if no contender has the given name.
[[nodiscard]] result<std::optional<contender>> chosen_contender(
    const std::vector<surveyed_lock>& locks, const take_options& options);

// Returns this process's user and the host, such as "alice@web-2".
[[nodiscard]] std::string operator_name();

}  // namespace turnstile::cli
