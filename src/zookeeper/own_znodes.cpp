// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/own_znodes.hpp"

#include <algorithm>
#include <functional>

namespace turnstile::zookeeper {
namespace {

std::size_t hash_of(std::string_view path) noexcept {
    return std::hash<std::string_view>{}(path);
}

// Returns the name as it was requested, without the sequence number of ten digits.
std::string_view without_number(std::string_view path) noexcept {
    constexpr std::size_t k_digits = 10;
    if (path.size() <= k_digits) return path;
    const auto digits = path.substr(path.size() - k_digits);
    const bool numbered =
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    return numbered ? path.substr(0, path.size() - k_digits) : path;
}

// Removes a '-' at the end. It may be the sign of a number after the overflow of the counter, or the last character of
// the name.
std::string_view without_sign(std::string_view path) noexcept {
    return path.ends_with('-') ? path.substr(0, path.size() - 1) : path;
}

}  // namespace

void own_znodes::submitted(const core::operation& op) {
    if (const auto* create = std::get_if<core::create_op>(&op)) return note_create(*create);
    if (const auto* remove = std::get_if<core::remove_op>(&op)) return note_removal(remove->path);
    const auto* multi = std::get_if<core::multi_op>(&op);
    if (multi == nullptr) return;
    for (const auto& part : multi->parts) {
        if (const auto* create = std::get_if<core::create_op>(&part)) note_create(*create);
        if (const auto* remove = std::get_if<core::remove_op>(&part)) note_removal(remove->path);
    }
}

void own_znodes::note_create(const core::create_op& op) {
    if (op.mode != core::create_mode::ephemeral &&
        op.mode != core::create_mode::ephemeral_sequential)
        return;
    names_.insert(hash_of(op.path));
}

void own_znodes::note_removal(std::string_view path) {
    const auto prefix = without_number(path);
    for (const auto name : {hash_of(path), hash_of(prefix), hash_of(without_sign(prefix))}) {
        if (names_.erase(name) == 0 || !late_.insert(name).second) continue;
        removals_.push_back(name);
    }
    while (removals_.size() > k_most_removed) {
        late_.erase(removals_.front());
        removals_.pop_front();
    }
}

bool own_znodes::knows(std::size_t name) const {
    return names_.contains(name) || late_.contains(name);
}

bool own_znodes::may_own(std::string_view path) const {
    const auto prefix = without_number(path);
    return knows(hash_of(path)) || knows(hash_of(prefix)) || knows(hash_of(without_sign(prefix)));
}

path_list own_znodes::take_foreign(path_list& listed, std::string_view chroot,
                                   std::string_view mark, bool marked) const {
    const auto is_own = [&](std::string_view path) {
        if (path == mark) return marked;
        return path.starts_with(chroot) && may_own(path.substr(chroot.size()));
    };
    path_list foreign;
    const auto begin = std::stable_partition(listed.paths.begin(), listed.paths.end(), is_own);
    foreign.paths.assign(begin, listed.paths.end());
    foreign.count = foreign.paths.size();
    listed.paths.erase(begin, listed.paths.end());
    std::erase(listed.paths, mark);
    return foreign;
}

}  // namespace turnstile::zookeeper
