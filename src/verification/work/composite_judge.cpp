// SPDX-License-Identifier: Apache-2.0
#include "verification/work/composite_judge.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_slack = 20ms;  // for what is handed from thread to thread

std::string name(client_id client, const composite& one) {
    return fmt::format("the {} of client {} worker {}",
                       one.is_quorum() ? "quorum hold" : "multi hold", client, one.worker);
}

std::size_t needed(const composite& one) {
    return one.is_quorum() ? one.folders.size() / 2 + 1 : one.folders.size();
}

}  // namespace

const acquisition_record* composite_judge::record(client_id client, const composite& one,
                                                  std::size_t part) const {
    if (!one.parts[part]) return nullptr;
    const auto found = history_.acquisitions.find({client, *one.parts[part]});
    return found == history_.acquisitions.end() ? nullptr : &found->second;
}

core::time_point composite_judge::valid_until(client_id client, core::acquisition_id which) const {
    return history_.acquisitions.at({client, which}).valid_until.value_or(core::time_point::min());
}

const client_view& composite_judge::view(client_id client) const {
    return *std::find_if(holders_.begin(), holders_.end(), [client](const holder& one) {
                return one.id == client;
            })->client;
}

bool composite_judge::part_valid(client_id client, const composite& one, std::size_t part) const {
    const auto* mine = record(client, one, part);
    return mine != nullptr && mine->holds() && view(client).local_now() < *mine->valid_until;
}

std::size_t composite_judge::count_valid(client_id client, const composite& one) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i != one.folders.size(); ++i)
        if (part_valid(client, one, i)) ++count;
    return count;
}

// What the guard says: by what its value holds, and by the leases of those parts.
bool composite_judge::valid(client_id client, const composite& one) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i != one.folders.size(); ++i)
        if (one.holds(i) && part_valid(client, one, i)) ++count;
    if (const auto* most = std::get_if<core::quorum>(&one.value))
        return count >= most->majority() && most->now() == core::quorum::phase::held;
    return count == one.folders.size();
}

bool composite_judge::forced(client_id client, const composite& one) const {
    for (std::size_t i = 0; i != one.folders.size(); ++i) {
        const auto* mine = record(client, one, i);
        if (mine == nullptr || mine->znode.empty()) continue;
        const auto& all = history_.of(mine->folder);
        const auto at = std::find_if(all.begin(), all.end(), [mine](const contender_record& c) {
            return c.znode == mine->znode;
        });
        if (at != all.end() && history_.forced(*at)) return true;
    }
    return false;
}

// ---- what is told ---------------------------------------------------------------------------

void composite_judge::on_granted(client_id client, const composite& one) {
    if (count_valid(client, one) < needed(one))
        throw violation{"G1", name(client, one) + " is granted without its parts"};
    on_write(client, one);
}

void composite_judge::on_over(client_id client, const composite& one) {
    incomplete_since_.erase(&one);
    for (std::size_t i = 0; i != one.folders.size(); ++i) {
        const auto* mine = record(client, one, i);
        if (mine != nullptr && mine->holds())
            throw violation{"G4", name(client, one) + " is over and holds " + one.folders[i]};
    }
}

void composite_judge::on_write(client_id client, const composite& one) {
    if (!valid(client, one) || forced(client, one)) return;
    std::vector<fencing_vector::component> all;
    for (std::size_t i = 0; i != one.folders.size(); ++i) {
        if (!one.holds(i) || !part_valid(client, one, i)) continue;
        const auto* mine = record(client, one, i);
        for (const auto& contender : history_.of(mine->folder)) {
            if (contender.znode != mine->znode) continue;
            all.push_back(
                {one.folders[i], fencing_token{static_cast<std::uint64_t>(contender.created)}});
        }
    }
    const fencing_vector tokens{std::move(all)};
    if (tokens.is_behind(seen_)) {
        throw violation{"G6", name(client, one) + " is valid, and its vector " +
                                  tokens.to_string() + " is behind " + seen_.to_string()};
    }
    seen_.raise(tokens);
}

// ---- what is so -----------------------------------------------------------------------------

void composite_judge::after_event() {
    const composite* valid_one = nullptr;
    client_id its_client = 0;
    for (const auto& who : holders_) {
        for (const auto* one : who.what->composites()) {
            if (one->now == composite::state::waiting) judge_deadline(who, *one);
            if (one->now != composite::state::held) continue;
            judge_loss(who, *one);
            if (!one->is_quorum() || !valid(who.id, *one) || forced(who.id, *one)) continue;
            if (valid_one != nullptr) {
                throw violation{"G1", name(its_client, *valid_one) + " and " + name(who.id, *one) +
                                          " are both valid"};
            }
            valid_one = one;
            its_client = who.id;
        }
    }
}

void composite_judge::judge_loss(const holder& who, const composite& one) {
    const bool late_riser =
        !who.client->runs() || agenda_.now() < who.client->awake_since() + k_slack;
    if (late_riser || count_valid(who.id, one) >= needed(one)) {
        incomplete_since_.erase(&one);
        return;
    }
    const auto since = incomplete_since_.emplace(&one, agenda_.now()).first->second;
    if (agenda_.now() > since + k_slack)
        throw violation{"G5", name(who.id, one) + " is not told that it is over"};
}

void composite_judge::judge_deadline(const holder& who, const composite& one) const {
    if (!who.client->runs() || agenda_.now() < who.client->awake_since() + k_slack) return;
    if (one.deadline && who.client->local_now() > *one.deadline + k_slack)
        throw violation{"G7", name(who.id, one) + " is waited for beyond its deadline"};
}

}  // namespace turnstile::simulation
