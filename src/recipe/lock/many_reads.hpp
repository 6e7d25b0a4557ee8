// SPDX-License-Identifier: Apache-2.0
// many_reads: one question about each of many znodes, a bounded number of them under way at a time.
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

// Answers to one question about each of `paths`, in order.
[[nodiscard]] result<std::vector<core::reply>> ask_each(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options,
    const std::function<core::operation(const std::string&)>& question);

// One deadline for all that is asked.
[[nodiscard]] query_options with_deadline(query_options options);

}  // namespace turnstile::detail
