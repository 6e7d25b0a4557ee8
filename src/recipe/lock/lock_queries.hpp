// SPDX-License-Identifier: Apache-2.0
// lock_queries: reads the holder and the waiters of a lock, without a contender in its queue.
//
// Thread safety: functions of a client, which may be used from any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/client_impl.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Sends one question about each of `paths`, with a limited number of requests in progress. Returns the answers in the
// order of `paths`.
[[nodiscard]] result<std::vector<core::reply>> ask_each(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options,
    const std::function<core::operation(const std::string&)>& question);

// Turns the timeout into a deadline, so that all requests of a query end at the same time.
[[nodiscard]] query_options with_deadline(query_options options);

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
