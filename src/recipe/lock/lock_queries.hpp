// SPDX-License-Identifier: Apache-2.0
// lock_queries: reads the holder and the waiters of a lock, without a contender in its queue.
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

struct queue_of {
    std::string path;
    core::contender_family family = core::contender_family::lock;
};

// Returns the children that are contenders of the family (the kinds of lock that share one queue), in the order of
// arrival.
[[nodiscard]] std::vector<std::string> contenders_among(std::vector<std::string> children,
                                                        core::contender_family of);

// Describes the contender with the znode `name`, from the servers' answer to a read of it.
[[nodiscard]] contender describe_one(const std::string& name, const core::reply& answer);

// Describes the contenders `names`, which are in the order of arrival, from an answer for each. Omits contenders that
// have ended.
[[nodiscard]] result<std::vector<contender>> describe(const std::string& path,
                                                      std::span<const std::string> names,
                                                      std::span<const core::reply> answers);

[[nodiscard]] error query_refusal(core::server_error why, const std::string& path);

// Returns the names of a queue's contenders, the holder first; none if the folder does not exist.
[[nodiscard]] result<std::vector<std::string>> contender_names(client_impl& client,
                                                               const queue_of& queue,
                                                               const query_options& options);

// Reads all contenders of a queue, with the data of their znodes. Omits contenders that have ended meanwhile.
[[nodiscard]] result<std::vector<contender>> contenders(client_impl& client, const queue_of& queue,
                                                        const query_options& options);

// Returns the first contender. If it has ended before its znode is read, reads the next contender. If all contenders
// have ended, lists the queue again.
[[nodiscard]] result<std::optional<contender>> head(client_impl& client, const queue_of& queue,
                                                    query_options options);

}  // namespace turnstile::detail
