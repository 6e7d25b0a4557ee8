// SPDX-License-Identifier: Apache-2.0
// permit_store: reads and sets the number of a semaphore's permits, in its folder's data (core/queue/permits.hpp).
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "client/client_impl.hpp"
#include "core/queue/queue_rule.hpp"

namespace turnstile::detail {

// Errors: the queries' errors; bad_path: there is no semaphore, or its data is no number.
[[nodiscard]] result<core::permit_limit> read_limit(client_impl& servers, const std::string& path,
                                                    const query_options& options);

// The number of permits without a contender.
[[nodiscard]] result<std::int32_t> free_permits(client_impl& servers, const std::string& path,
                                                const query_options& options);

// Makes the semaphore if there is none. Errors: as above, and no_permission, bad_path for the parents.
result<void> store_limit(client_impl& servers, const std::string& path, std::int32_t permits,
                         query_options options);

}  // namespace turnstile::detail
