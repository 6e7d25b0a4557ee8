// SPDX-License-Identifier: Apache-2.0
#include "recipe/deadlock/queue_survey.hpp"

#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/path.hpp"
#include "core/queue/contender_name.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/operator/listed_lock.hpp"

namespace turnstile::detail {

namespace {

// The contenders of this family (the kinds of lock that share one queue) all exclude each other.
constexpr auto k_exclusive = core::contender_family::lock;

// Returns the children of each folder; none for a missing folder.
result<std::vector<std::vector<std::string>>> children_of(client_impl& client,
                                                          const std::vector<std::string>& folders,
                                                          const query_options& options) {
    auto answers = ask_each(client, folders, options,
                            [](const std::string& folder) { return core::children_op{folder}; });
    if (!answers) return answers.error();
    std::vector<std::vector<std::string>> found;
    for (std::size_t i = 0; i != folders.size(); ++i) {
        auto& answer = (*answers)[i];
        const bool there = answer.error == core::server_error::ok;
        if (!there && answer.error != core::server_error::no_node)
            return query_refusal(answer.error, folders[i]);
        found.push_back(std::move(answer.children));
    }
    return found;
}

}  // namespace

result<std::vector<lock_queue>> queues_with_waiters(client_impl& client,
                                                    const std::vector<std::string>& paths,
                                                    const query_options& options) {
    auto children = children_of(client, paths, options);
    if (!children) return children.error();
    std::vector<std::pair<std::string, std::vector<std::string>>> contended;
    std::vector<std::string> znodes;
    for (std::size_t i = 0; i != paths.size(); ++i) {
        auto names = contenders_among(std::move((*children)[i]), k_exclusive);
        if (names.size() < 2) continue;
        for (const auto& name : names) znodes.push_back(base::child_path(paths[i], name));
        contended.emplace_back(paths[i], std::move(names));
    }

    const auto answers = ask_each(client, znodes, options,
                                  [](const std::string& znode) { return core::get_op{znode}; });
    if (!answers) return answers.error();
    std::span<const core::reply> rest{*answers};
    std::vector<lock_queue> found;
    for (auto& [path, names] : contended) {
        auto queue = describe(path, names, rest.first(names.size()));
        if (!queue) return queue.error();
        rest = rest.subspan(names.size());
        found.push_back({std::move(path), std::move(*queue)});
    }
    return found;
}

result<std::vector<std::string>> contended_below(client_impl& client, const std::string& folder,
                                                 const query_options& options) {
    std::vector<std::string> found;
    std::vector<std::string> level{folder};
    std::size_t seen = 1;
    while (!level.empty()) {
        auto children = children_of(client, level, options);
        if (!children) return children.error();
        std::vector<std::string> next;
        for (std::size_t i = 0; i != level.size(); ++i) {
            std::size_t contenders = 0;
            for (const auto& name : (*children)[i]) {
                if (core::contender_sequence(name, k_exclusive)) {
                    ++contenders;
                } else if (!core::contender_sequence(name)) {
                    next.push_back(base::child_path(level[i], name));
                }
            }
            if (contenders > 1) found.push_back(std::move(level[i]));
        }
        std::erase(next, k_servers_own);
        seen += next.size();
        if (seen > k_most_folders) {
            return error{errc::too_many,
                         fmt::format("{}: more than {} folders below this one, and the "
                                     "deadlock_detector examines no more; name the locks instead",
                                     folder, k_most_folders)};
        }
        level = std::move(next);
    }
    return found;
}

}  // namespace turnstile::detail
