// SPDX-License-Identifier: Apache-2.0
// lock_queries: reads the holder of a lock and its waiters without taking part.
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

// Returns the children that are contenders of the family, in the order of arrival.
[[nodiscard]] std::vector<std::string> contenders_among(std::vector<std::string> children,
                                                        core::contender_family of);

// The contender with the znode `name`, from the server's answer.
[[nodiscard]] contender describe_one(const std::string& name, const core::reply& answer);

// The contenders `names`, which are in the order of arrival, from one answer each; without contenders that have
// gone.
[[nodiscard]] result<std::vector<contender>> describe(const std::string& path,
                                                      std::span<const std::string> names,
                                                      std::span<const core::reply> answers);

// The error for a query that the servers refused.
[[nodiscard]] error query_refusal(core::server_error why, const std::string& path);

// The names of the contenders of a queue, the holder first. None if there is no folder.
[[nodiscard]] result<std::vector<std::string>> contender_names(client_impl& client,
                                                               const queue_of& queue,
                                                               const query_options& options);

// All contenders with the text of their znodes, without contenders that have gone meanwhile.
[[nodiscard]] result<std::vector<contender>> contenders(client_impl& client, const queue_of& queue,
                                                        const query_options& options);

// The first contender. If it has gone when its znode is read, the next one is read; if all have gone, the queue is
// read again.
[[nodiscard]] result<std::optional<contender>> head(client_impl& client, const queue_of& queue,
                                                    query_options options);

}  // namespace turnstile::detail
