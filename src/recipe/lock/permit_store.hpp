// SPDX-License-Identifier: Apache-2.0
// permit_store: reads and sets a semaphore's number of permits, in the data of its folder (core/queue/permits.hpp).
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "client/client_impl.hpp"
#include "core/queue/queue_rule.hpp"

namespace turnstile::detail {

// Errors: the errors of queries; bad_path if there is no semaphore, or if the folder's data are no number.
[[nodiscard]] result<core::permit_limit> read_limit(client_impl& servers, const std::string& path,
                                                    const query_options& options);

// Returns the number of permits that no contender claims.
[[nodiscard]] result<std::int32_t> free_permits(client_impl& servers, const std::string& path,
                                                const query_options& options);

// Sets the number of permits, and creates a missing semaphore. Errors: the errors of read_limit(). The errors
// no_permission and bad_path may also concern a parent folder.
result<void> store_limit(client_impl& servers, const std::string& path, std::int32_t permits,
                         query_options options);

}  // namespace turnstile::detail
