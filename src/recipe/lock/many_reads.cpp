// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/many_reads.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::detail {
namespace {

// Limit for the requests in progress, because the answers to all of them are in memory at once.
constexpr std::size_t k_batch = 1'000;

}  // namespace

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

query_options with_deadline(query_options options) {
    if (const auto deadline = options.timeout.deadline())
        options.timeout = wait_limit::until(*deadline);
    return options;
}

}  // namespace turnstile::detail
