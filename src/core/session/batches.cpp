// SPDX-License-Identifier: Apache-2.0
#include "core/session/batches.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answers.hpp"

namespace turnstile::core {

namespace {

std::string_view folder_of(const creation& created) {
    const std::string_view path = created.znode.path;
    return path.substr(0, path.rfind('/'));
}

std::size_t bytes_of(const creation& created) {
    return created.znode.path.size() + created.znode.data.size();
}

bool is_in(const std::vector<creation>& group, std::string_view folder) {
    return std::any_of(group.begin(), group.end(),
                       [folder](const creation& each) { return folder_of(each) == folder; });
}

}  // namespace

void creation_batch::add(creation&& added) {
    TURNSTILE_CHECK(gathers_);
    TURNSTILE_CHECK(added.znode.mode == create_mode::ephemeral_sequential);
    waiting_.push_back(std::move(added));
}

std::vector<std::vector<creation>> creation_batch::take() {
    TURNSTILE_CHECK(gathers_);
    gathers_ = false;
    std::vector<std::vector<creation>> groups;
    std::size_t bytes = 0;
    for (auto& each : std::exchange(waiting_, {})) {
        bytes += bytes_of(each);
        // place: one_of_a_folder
        const bool joins = !groups.empty() && groups.back().size() < limits_.together &&
                           bytes <= k_most_creation_bytes && !is_in(groups.back(), folder_of(each));
        if (!joins) {
            groups.emplace_back();
            bytes = bytes_of(each);
        }
        groups.back().push_back(std::move(each));
    }
    return groups;
}

void creation_batch::sent(ticket request, std::span<const creation> creates) {
    const auto folder = creates.size() == 1 ? folder_of(creates.front()) : std::string_view{};
    const std::size_t counts = folder.empty() || folder != latest_folder_ ? creates.size() : 0;
    latest_folder_ = folder;
    under_way_.emplace(request, counts);
    creates_under_way_ += counts;
}

void creation_batch::answered(ticket request) {
    const auto sent = under_way_.find(request);
    if (sent == under_way_.end()) return;
    creates_under_way_ -= sent->second;
    under_way_.erase(sent);
    if (under_way_.empty()) latest_folder_.clear();
}

void creation_batch::reattached() {
    under_way_.clear();
    creates_under_way_ = 0;
    latest_folder_.clear();
}

operation creation_request(const std::vector<creation>& all, const std::string& probe) {
    TURNSTILE_CHECK(all.size() > 1);
    multi_op together;
    for (const auto& each : all) together.parts.emplace_back(each.znode);
    const auto path = base::child_path(folder_of(all.front()), probe);
    together.parts.emplace_back(create_op{path, {}, create_mode::ephemeral, all.front().znode.acl});
    together.parts.emplace_back(set_op{path, {}});
    together.parts.emplace_back(remove_op{path});
    return together;
}

// If the servers' answer lacks the names or the stat, the contender becomes unsure, and searches for its znode.
reply creation_answer(const std::vector<creation>& all, std::size_t which, const reply& together) {
    TURNSTILE_CHECK(which < all.size());
    reply own;
    own.id = all[which].id;
    own.outcome = together.outcome;  // place: outcome_of_a_batch
    own.error = together.error;
    own.connection = together.connection;
    own.sent = together.sent;
    if (together.outcome != outcome::answered || together.error != server_error::ok) return own;
    if (together.paths.size() <= which || together.stat.mzxid == 0) {
        own.outcome = outcome::unknown;
        return own;
    }
    own.path = together.paths[which];  // place: name_in_a_batch
    const auto& probe = together.stat;
    own.stat.mzxid = own.stat.pzxid = probe.mzxid;
    own.stat.czxid = probe.mzxid;  // place: token_of_a_batch
    own.stat.ctime = own.stat.mtime = probe.mtime;
    own.stat.ephemeral_owner = probe.ephemeral_owner;
    own.stat.data_length = static_cast<std::int32_t>(all[which].znode.data.size());
    return own;
}

std::optional<std::size_t> refused_creation(const std::vector<creation>& all,
                                            const reply& together) {
    const auto which = failed_part(together);
    return which && *which < all.size() ? which
                                        : std::nullopt;  // a later part belongs to the probe
}

reply refusal_of_creation(const creation& refused, server_error why, const reply& together) {
    reply own;
    own.id = refused.id;
    own.outcome = together.outcome;
    own.error = why;
    own.connection = together.connection;
    own.sent = together.sent;
    return own;
}

void removal_queue::add(removal&& added) {
    on_their_way_.insert(added.path);
    auto& some = added.awaited ? awaited_ : waiting_;
    some.push_back(std::move(added));
}

std::vector<removal> removal_queue::take() {
    auto& from = awaited_.empty() ? waiting_ : awaited_;
    TURNSTILE_CHECK(!from.empty());
    std::vector<removal> all;
    std::size_t bytes = 0;
    do {
        bytes += from.front().path.size();
        all.push_back(std::move(from.front()));
        from.pop_front();
    } while (!from.empty() && all.size() < limits_.together &&
             bytes + from.front().path.size() <= k_most_removal_bytes);
    return all;
}

operation removal_request(const std::vector<removal>& all) {
    TURNSTILE_CHECK(!all.empty());
    if (all.size() == 1) return remove_op{all.front().path};
    multi_op together;
    for (const auto& each : all) together.parts.emplace_back(remove_op{each.path});
    return together;
}

}  // namespace turnstile::core
