// SPDX-License-Identifier: Apache-2.0
// many_reads: asks one question about each of many znodes, with a bounded number of requests under way.
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

// The answers to one question about each of `paths`, in order.
[[nodiscard]] result<std::vector<core::reply>> ask_each(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options,
    const std::function<core::operation(const std::string&)>& question);

// The same deadline for all requests of a question.
[[nodiscard]] query_options with_deadline(query_options options);

}  // namespace turnstile::detail
