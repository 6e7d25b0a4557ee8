// SPDX-License-Identifier: Apache-2.0
#include "recipe/deadlock/queue_survey.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "recipe/lock/lock_queries.hpp"

namespace turnstile::detail {

namespace {

// Requests that are under way at a time: the answers of all of them are in memory at once.
constexpr std::size_t k_batch = 1'000;
constexpr std::size_t k_most_folders = 100'000;
// The family whose contenders all exclude each other.
constexpr auto k_exclusive = core::contender_family::lock;

// Answers to one question about each of `paths`, in order.
result<std::vector<core::reply>> ask_each(
    client_impl& client, const std::vector<std::string>& paths, const query_options& options,
    const std::function<core::operation(const std::string&)>& question) {
    std::vector<core::reply> all;
    for (std::size_t from = 0; from < paths.size(); from += k_batch) {
        std::vector<core::operation> questions;
        for (auto i = from; i != std::min(from + k_batch, paths.size()); ++i)
            questions.push_back(question(paths[i]));
        auto answers = client.read(std::move(questions), options);
        if (!answers) return answers.error();
        std::move(answers->begin(), answers->end(), std::back_inserter(all));
    }
    return all;
}

// One deadline for all that is asked.
query_options with_deadline(query_options options) {
    if (const auto deadline = options.timeout.deadline()) options.timeout = *deadline;
    return options;
}

// The children of each folder; none of one that is not there.
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

std::string child_of(const std::string& folder, const std::string& name) {
    return folder == "/" ? folder + name : folder + '/' + name;
}

}  // namespace

result<std::vector<lock_queue>> queues_with_waiters(client_impl& client,
                                                    const std::vector<std::string>& paths,
                                                    const query_options& given) {
    const auto options = with_deadline(given);
    auto children = children_of(client, paths, options);
    if (!children) return children.error();
    std::vector<std::pair<std::string, std::vector<std::string>>> contended;
    std::vector<std::string> znodes;
    for (std::size_t i = 0; i != paths.size(); ++i) {
        auto names = contenders_among(std::move((*children)[i]), k_exclusive);
        if (names.size() < 2) continue;
        for (const auto& name : names) znodes.push_back(child_of(paths[i], name));
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
                                                 const query_options& given) {
    const auto options = with_deadline(given);
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
                    next.push_back(child_of(level[i], name));
                }
            }
            if (contenders > 1) found.push_back(std::move(level[i]));
        }
        seen += next.size();
        if (seen > k_most_folders) {
            return error{errc::too_many, fmt::format("below {} are more than the {} folders that a "
                                                     "look takes; name the locks instead",
                                                     folder, k_most_folders)};
        }
        level = std::move(next);
    }
    return found;
}

}  // namespace turnstile::detail
