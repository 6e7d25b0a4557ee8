// SPDX-License-Identifier: Apache-2.0
// lock_queries: the holder of a lock and its waiters, asked without taking part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/client_impl.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// The contenders of one family on one path.
struct queue_of {
    std::string path;
    core::contender_family family = core::contender_family::lock;
};

// Those of a folder's children that are contenders of the family, in the order of arrival.
[[nodiscard]] std::vector<std::string> contenders_among(std::vector<std::string> children,
                                                        core::contender_family of);

// What one znode, of this name, answered.
[[nodiscard]] contender describe_one(const std::string& name, const core::reply& answer);

// What the znodes of `names`, which are in the order of arrival, answered, one get each; without
// those that have gone.
[[nodiscard]] result<std::vector<contender>> describe(const std::string& path,
                                                      std::span<const std::string> names,
                                                      std::span<const core::reply> answers);

// Why the servers refused a query.
[[nodiscard]] error query_refusal(core::server_error why, const std::string& path);

// The names of the contenders of a queue, the holder first. A folder that is not there has none.
[[nodiscard]] result<std::vector<std::string>> contender_names(client_impl& client,
                                                               const queue_of& queue,
                                                               const query_options& options);

// All of them with what their znodes say; what has gone meanwhile is left out.
[[nodiscard]] result<std::vector<contender>> contenders(client_impl& client, const queue_of& queue,
                                                        const query_options& options);

// The first of them. One that has gone when its znode is read is passed over; if all have, it looks
// again.
[[nodiscard]] result<std::optional<contender>> head(client_impl& client, const queue_of& queue,
                                                    query_options options);

}  // namespace turnstile::detail
