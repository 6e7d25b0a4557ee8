// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "verification/search/model.hpp"

namespace turnstile::search {

namespace {

const contender* find(const servers& where, contender_number which) {
    const auto& all = where.standing();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [which](const contender& c) { return c.number == which; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string model::breach(const position& before, const transition& taken) const {
    const auto& after = taken.to;
    if (!servers_at(after).breach().empty()) return servers_at(after).breach();
    for (unsigned client = 0; client != limits_.clients; ++client) {
        auto wrong = judge_client(before, after, client);
        if (!wrong.empty()) return wrong;
    }
    return judge_holds(after);
}

std::string model::judge_client(const position& before, const position& after,
                                unsigned client) const {
    const auto& f = face_of(after, client);
    if (f.broken) return fmt::format("{} (client {})", client_at(after, client).breach(), client);
    if (f.granted != 0 && face_of(before, client).granted == 0) {
        auto wrong = judge_grant(before, after, client);
        if (!wrong.empty()) return wrong;
    }
    return judge_rest(after, client);
}

// Promise G2 (fairness): the granted contender exists, and no contender is ahead. A contender that an operator removed
// may get a grant before its client receives the event. This model has no clock. So only the simulator can judge
// whether the event arrives soon enough (failure F37, promise G5).
std::string model::judge_grant(const position& before, const position& after,
                               unsigned client) const {
    const auto which = face_of(after, client).granted;
    const auto text = fmt::format("client {} is granted by {}", client, text_of(which));
    const auto& truth = servers_at(after);
    const auto* mine = find(truth, which);
    if (mine == nullptr && !truth.removed_by_hand(which)) return "G1: " + text + ", which is gone";
    if (mine != nullptr && mine->owner != face_of(after, client).session)
        return "G8: " + text + " of another session";
    if (!truth.standing().empty() && truth.standing().front().number < which)
        return "G2: " + text + " while " + text_of(truth.standing().front().number) + " is ahead";
    if (which <= before.last_grant && !truth.removed_by_hand(which))
        return "G6: " + text + ", and a later one was granted before";
    return {};
}

// When a client rests or is done, it has no znode left (promises G4 and G8 of docs/guarantees.md).
std::string model::judge_rest(const position& at, unsigned client) const {
    const auto& f = face_of(at, client);
    if (f.crashed || (f.at != stage::resting && f.at != stage::done)) return {};
    for (const auto& entry : servers_at(at).standing()) {
        if (entry.owner == f.session && f.session != 0)
            return fmt::format("G4: client {} was told that nothing is left, and {} stands", client,
                               text_of(entry.number));
    }
    return {};
}

std::string model::judge_holds(const position& at) const {
    std::string holder;
    for (unsigned client = 0; client != limits_.clients; ++client) {
        const auto& f = face_of(at, client);
        const auto& truth = servers_at(at);
        if (!f.holds || truth.removed_by_hand(f.granted)) continue;
        if (find(truth, f.granted) == nullptr)
            return fmt::format("G1: client {} has a valid guard, and its {} is gone", client,
                               text_of(f.granted));
        if (!holder.empty())
            return fmt::format("G1: clients {} and {} are both valid", holder, client);
        holder = std::to_string(client);
    }
    return {};
}

std::string model::breach_at_end(const position& at) const {
    std::size_t folders = 0;  // watches on folders of locks that a client takes repeatedly
    for (unsigned client = 0; client != limits_.clients; ++client) {
        const auto& value = client_at(at, client);
        if (!value.finished()) return fmt::format("G7: client {} waits for ever", client);
        const auto watched = value.core().watched_folders();
        folders += watched;
        if (value.watches().size() != watched || value.core().watched_paths() != watched)
            return fmt::format("G4: client {} still has a watch", client);
        if (value.core().owned_bytes() != 0)
            return fmt::format("G4: client {} believes that it owns something", client);
    }
    const auto& truth = servers_at(at);
    if (!truth.standing().empty()) return "G4: " + truth.standing().front().name + " is left over";
    if (truth.watch_count() != folders) return "G4: the servers still keep a watch";
    return {};
}

}  // namespace turnstile::search
