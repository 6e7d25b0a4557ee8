// SPDX-License-Identifier: Apache-2.0
#include "verification/work/composite_judge.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_composite_slack = 20ms;  // tolerance for passing a hold between threads

std::string name(client_id client, const composite& composite) {
    return fmt::format("the {} of client {} worker {}",
                       composite.is_quorum() ? "quorum hold" : "multi hold", client,
                       composite.worker);
}

std::size_t needed(const composite& composite) {
    return composite.is_quorum() ? composite.folders.size() / 2 + 1 : composite.folders.size();
}

}  // namespace

const contender_record* composite_judge::record(client_id client, const composite& composite,
                                                std::size_t part) const {
    if (!composite.parts[part]) return nullptr;
    const auto found = history_.contenders.find({client, *composite.parts[part]});
    return found == history_.contenders.end() ? nullptr : &found->second;
}

core::time_point composite_judge::valid_until(client_id client, core::contender_id which) const {
    return history_.contenders.at({client, which}).valid_until.value_or(core::time_point::min());
}

const client_view& composite_judge::view(client_id client) const {
    return *std::find_if(holders_.begin(), holders_.end(), [client](const holder& party) {
                return party.id == client;
            })->client;
}

bool composite_judge::part_valid(client_id client, const composite& composite,
                                 std::size_t part) const {
    const auto* mine = record(client, composite, part);
    return mine != nullptr && mine->holds() && view(client).local_now() < *mine->valid_until;
}

std::size_t composite_judge::count_valid(client_id client, const composite& composite) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i != composite.folders.size(); ++i)
        if (part_valid(client, composite, i)) ++count;
    return count;
}

// Returns true if the guard of a call for several locks (a composite) is valid. That depends on the number of held
// locks with a valid lease.
bool composite_judge::valid(client_id client, const composite& composite) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i != composite.folders.size(); ++i)
        if (composite.holds(i) && part_valid(client, composite, i)) ++count;
    if (const auto* most = std::get_if<core::quorum>(&composite.value))
        return count >= most->majority() && most->now() == core::quorum::phase::held;
    return count == composite.folders.size();
}

bool composite_judge::forced(client_id client, const composite& composite) const {
    for (std::size_t i = 0; i != composite.folders.size(); ++i) {
        const auto* mine = record(client, composite, i);
        if (mine == nullptr || mine->znode.empty()) continue;
        const auto& all = history_.of(mine->folder);
        const auto at = std::find_if(all.begin(), all.end(), [mine](const znode_record& c) {
            return c.znode == mine->znode;
        });
        if (at != all.end() && history_.forced(*at)) return true;
    }
    return false;
}

// ---- notices --------------------------------------------------------------------------------

void composite_judge::on_granted(client_id client, const composite& composite) {
    if (count_valid(client, composite) < needed(composite))
        throw violation{"G1", name(client, composite) + " is granted without its parts"};
    on_write(client, composite);
}

void composite_judge::on_over(client_id client, const composite& composite) {
    incomplete_since_.erase(&composite);
    for (std::size_t i = 0; i != composite.folders.size(); ++i) {
        const auto* mine = record(client, composite, i);
        if (mine != nullptr && mine->holds())
            throw violation{"G4",
                            name(client, composite) + " is over and holds " + composite.folders[i]};
    }
}

void composite_judge::on_write(client_id client, const composite& composite) {
    if (!valid(client, composite) || forced(client, composite)) return;
    std::vector<fencing_vector::component> all;
    for (std::size_t i = 0; i != composite.folders.size(); ++i) {
        if (!composite.holds(i) || !part_valid(client, composite, i)) continue;
        const auto* mine = record(client, composite, i);
        for (const auto& contender : history_.of(mine->folder)) {
            if (contender.znode != mine->znode) continue;
            all.push_back({composite.folders[i],
                           fencing_token{static_cast<std::uint64_t>(contender.created)}});
        }
    }
    const fencing_vector tokens{std::move(all)};
    if (tokens.is_behind(seen_)) {
        throw violation{"G6", name(client, composite) + " is valid, and its vector " +
                                  tokens.to_string() + " is behind " + seen_.to_string()};
    }
    seen_.raise(tokens);
}

// ---- state after each event -----------------------------------------------------------------

void composite_judge::after_event() {
    const composite* valid_one = nullptr;
    client_id its_client = 0;
    for (const auto& party : holders_) {
        for (const auto* entry : party.state->composites()) {
            if (entry->now == composite::state::waiting) judge_deadline(party, *entry);
            if (entry->now != composite::state::held) continue;
            judge_loss(party, *entry);
            if (!entry->is_quorum() || !valid(party.id, *entry) || forced(party.id, *entry))
                continue;
            if (valid_one != nullptr) {
                throw violation{"G1", name(its_client, *valid_one) + " and " +
                                          name(party.id, *entry) + " are both valid"};
            }
            valid_one = entry;
            its_client = party.id;
        }
    }
}

void composite_judge::judge_loss(const holder& party, const composite& composite) {
    const bool late_riser =
        !party.client->runs() || agenda_.now() < party.client->awake_since() + k_composite_slack;
    if (late_riser || count_valid(party.id, composite) >= needed(composite)) {
        incomplete_since_.erase(&composite);
        return;
    }
    const auto since = incomplete_since_.emplace(&composite, agenda_.now()).first->second;
    if (agenda_.now() > since + k_composite_slack)
        throw violation{"G5", name(party.id, composite) + " is not told that it is over"};
}

void composite_judge::judge_deadline(const holder& party, const composite& composite) const {
    if (!party.client->runs() || agenda_.now() < party.client->awake_since() + k_composite_slack)
        return;
    if (composite.deadline && party.client->local_now() > *composite.deadline + k_composite_slack)
        throw violation{"G7", name(party.id, composite) + " is waited for beyond its deadline"};
}

}  // namespace turnstile::simulation
