// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/lock_queries.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/path.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::detail {

namespace {

// Limit for the requests in progress, because the answers to all of them are in memory at once.
constexpr std::size_t k_batch = 1'000;

// Limit of the attempts to find the first contender, if all contenders of a list have ended before they were read.
constexpr int k_most_looks = 16;

// Sorts by arrival. Compares the distances from the first name's number, so that a wrap of the numbers at 2^31 keeps
// the order. The znode of an upgrade may have the same number as its upgradable contender. The upgradable contender
// came first and stays in front.
void sort_by_arrival(std::vector<std::string>& names) {
    if (names.empty()) return;
    const auto number = [](const std::string& name) {
        return core::order_number(*core::contender_sequence(name));
    };
    const auto place = [&number, pivot = number(names.front())](const std::string& name) {
        const bool upgrades = core::parse_contender(name)->wants.kind == core::claim_kind::upgrade;
        return std::pair{core::sequence_distance(number(name), pivot), upgrades};
    };
    std::stable_sort(names.begin(), names.end(),
                     [&place](const auto& a, const auto& b) { return place(a) < place(b); });
}

turnstile::contender_kind kind_of(core::claim_kind kind) {
    switch (kind) {
        case core::claim_kind::latch: return turnstile::contender_kind::latch;
        case core::claim_kind::read: return turnstile::contender_kind::reader;
        case core::claim_kind::write: return turnstile::contender_kind::writer;
        case core::claim_kind::upgradable: return turnstile::contender_kind::upgradable;
        case core::claim_kind::upgrade: return turnstile::contender_kind::upgrade;
        case core::claim_kind::permit: return turnstile::contender_kind::permit;
        case core::claim_kind::lock: break;
    }
    return turnstile::contender_kind::mutex;
}

// Reads the znodes of the contenders `names`, which are in the order of arrival. Omits contenders that have ended.
result<std::vector<contender>> read(client_impl& client, const std::string& path,
                                    const std::vector<std::string>& names,
                                    const query_options& options) {
    std::vector<core::operation> questions;
    for (const auto& name : names)
        questions.emplace_back(core::get_op{base::child_path(path, name)});
    if (questions.empty()) return std::vector<contender>{};
    const auto answers = client.read(std::move(questions), options);
    if (!answers) return answers.error();
    return describe(path, names, *answers);
}

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

contender describe_one(const std::string& name, const core::reply& answer) {
    contender entry;
    const auto parsed = core::parse_contender(name).value_or(core::contender_name{});
    entry.kind = kind_of(parsed.wants.kind);
    entry.permits = parsed.wants.permits;
    entry.name = name;
    entry.sequence = parsed.sequence;
    entry.token = fencing_token{static_cast<std::uint64_t>(answer.stat.czxid)};
    entry.session_id = answer.stat.ephemeral_owner;
    entry.created =
        std::chrono::system_clock::time_point{std::chrono::milliseconds{answer.stat.ctime}};
    entry.metadata = contender_metadata::parse(answer.data);
    return entry;
}

std::vector<std::string> contenders_among(std::vector<std::string> children,
                                          core::contender_family of) {
    std::erase_if(children, [of](const auto& name) { return !core::contender_sequence(name, of); });
    sort_by_arrival(children);
    return children;
}

error query_refusal(core::server_error why, const std::string& path) {
    if (why == core::server_error::no_auth) return {errc::no_permission, "to read " + path};
    return {errc::protocol, "a refusal to answer a query on " + path};
}

result<std::vector<contender>> describe(const std::string& path, std::span<const std::string> names,
                                        std::span<const core::reply> answers) {
    std::vector<contender> found;
    for (std::size_t i = 0; i != names.size(); ++i) {
        const auto& answer = answers[i];
        if (answer.error == core::server_error::no_node) continue;
        if (answer.error != core::server_error::ok) return query_refusal(answer.error, path);
        found.push_back(describe_one(names[i], answer));
    }
    if (found.empty()) return found;
    // A server may repeat the number 2^31 - 1. So this function orders contenders with equal numbers by the creation of
    // their znodes.
    const auto key = [pivot = core::order_number(found.front().sequence)](const contender& entry) {
        return std::pair{core::sequence_distance(core::order_number(entry.sequence), pivot),
                         entry.token};
    };
    std::stable_sort(found.begin(), found.end(),
                     [&key](const auto& a, const auto& b) { return key(a) < key(b); });
    for (std::size_t i = 0; i != found.size(); ++i) found[i].position = i;
    return found;
}

result<std::vector<std::string>> contender_names(client_impl& client, const queue_of& queue,
                                                 const query_options& options) {
    auto listed = client.read({core::children_op{queue.path}}, options);
    if (!listed) return listed.error();
    auto& answer = listed->front();
    if (answer.error == core::server_error::no_node) return std::vector<std::string>{};
    if (answer.error != core::server_error::ok) return query_refusal(answer.error, queue.path);
    return contenders_among(std::move(answer.children), queue.family);
}

result<std::vector<contender>> contenders(client_impl& client, const queue_of& queue,
                                          const query_options& options) {
    const auto names = contender_names(client, queue, options);
    if (!names) return names.error();
    return read(client, queue.path, *names, options);
}

// A contender that was ahead in the list and has ended does not come back. So the first contender that can be read was
// first in the queue when it was read. Contenders with equal numbers are read together, because only their czxids give
// their order.
result<std::optional<contender>> head(client_impl& client, const queue_of& queue,
                                      query_options options) {
    options = with_deadline(std::move(options));
    for (int look = 0; look != k_most_looks; ++look) {
        const auto names = contender_names(client, queue, options);
        if (!names) return names.error();
        if (names->empty()) return std::optional<contender>{};
        for (auto from = names->begin(); from != names->end();) {
            const auto number = core::order_number(*core::contender_sequence(*from));
            const auto to = std::find_if(from, names->end(), [number](const auto& name) {
                return core::order_number(*core::contender_sequence(name)) != number;
            });
            auto found = read(client, queue.path, {from, to}, options);
            if (!found) return found.error();
            if (!found->empty()) return std::optional{std::move(found->front())};
            from = to;
        }
    }
    return error{errc::timeout, queue.path + ": holders change faster than they can be read"};
}

}  // namespace turnstile::detail
