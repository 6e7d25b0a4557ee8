// SPDX-License-Identifier: Apache-2.0
// permit_store: how many permits a semaphore has, as its folder says (core/queue/permits.hpp), read and set.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "client/client_impl.hpp"
#include "core/queue/queue_rule.hpp"

namespace turnstile::detail {

// Errors: the queries'; bad_path: there is no semaphore, or its data is no number.
[[nodiscard]] result<core::permit_limit> read_limit(client_impl& servers, const std::string& path,
                                                    const query_options& options);

// How many permits no contender stands for.
[[nodiscard]] result<std::int32_t> free_permits(client_impl& servers, const std::string& path,
                                                const query_options& options);

// Makes the semaphore if there is none. Errors as above, and no_permission, bad_path of the parents.
result<void> store_limit(client_impl& servers, const std::string& path, std::int32_t permits,
                         query_options options);

}  // namespace turnstile::detail
