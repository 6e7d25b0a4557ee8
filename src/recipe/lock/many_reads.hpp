// SPDX-License-Identifier: Apache-2.0
// many_reads: asks the same question about many znodes, with a limited number of requests in progress.
//
// Thread safety: pure functions of a client, which may be used from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/client_impl.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Sends one question about each of `paths`. Returns the answers in the order of `paths`.
[[nodiscard]] result<std::vector<core::reply>> ask_each(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options,
    const std::function<core::operation(const std::string&)>& question);

// Turns the timeout into a deadline, so that all requests of a query end at the same time.
[[nodiscard]] query_options with_deadline(query_options options);

}  // namespace turnstile::detail
