// SPDX-License-Identifier: Apache-2.0
// Judges servers that lose data or whose clocks are set. They may break any promise that they do not declare, but a
// fencing token must always refuse the earlier holder.
#include <algorithm>

#include <fmt/core.h>

#include "verification/invariants.hpp"

namespace turnstile::simulation {

core::duration invariants::longest_unheard() const {
    const auto& single = scenario_.single;
    const bool rings = single.lost_bells == 0 && single.late_bells == 0;
    return rings ? core::duration{} : core::duration{scenario_.time.session_timeout / 3};
}

bool invariants::keeps_its_clock() const {
    const auto steps = scenario_.every[static_cast<std::size_t>(fault::server_clock_step)];
    return scenario_.kind != server_kind::ensemble && steps == core::duration{} &&
           scenario_.single.promised.exclusion != exclusion_promise::best_effort;
}

// Returns true if the client's latest message from the servers may be older than the servers' loss of data.
bool invariants::goes_by_lost_data(client_id client) const {
    const auto lost_at = history_.lost_data_at();
    if (!lost_at) return false;
    const auto& view = this->client(client);
    const bool away = view.core().state() == session_state::suspended;
    return now() <= std::max(*lost_at, view.awake_since()) + round_trip() ||
           (away && now() <= *lost_at + scenario_.time.session_timeout);
}

// Returns true if the servers lost the deletion of this znode, so that it exists again, and the client has not attached
// since.
bool invariants::is_back_unheard(client_id client, const znode_record& znode) const {
    if (!znode.returned_at) return false;
    const auto last = connected_.find(client);
    return last == connected_.end() || last->second < *znode.returned_at;
}

// Returns true if the servers may have granted this holder's lock again: they lost or removed its znode, or they
// brought back a contender that was ahead of it. A brought-back contender that another client had removed may still
// hold, because its owner does not know of the removal.
bool invariants::is_failed_by_servers(contender_key key, const znode_record& mine) const {
    const auto timeout = scenario_.time.session_timeout;
    if (history::failed_by_servers(mine)) return now() <= mine.deleted_at + timeout;
    const auto& record = history_.contenders.at(key);
    const auto awake = client(key.first).awake_since();
    const auto& all = history_.of(mine.folder);
    return std::any_of(all.begin(), all.end(), [&](const znode_record& other) {
        return other.returned_at && other.place < mine.place && other.deleted == 0 &&
               record.granted_at <= std::max(*other.returned_at, awake) + round_trip() &&
               (other.was_forced || now() <= *other.returned_at + timeout);
    });
}

void invariants::judge_failed_by_servers(
    const std::vector<contender_key>& failed,
    const std::map<std::string, std::vector<contender_key>>& valid) {
    for (auto at = failed.begin(); at != failed.end(); ++at) {
        const auto& record = history_.contenders.at(*at);
        const auto* mine = history_.in_place_of(record.znode);
        if (mine->why == removal::lost &&
            scenario_.single.promised.exclusion != exclusion_promise::best_effort)
            breach("G1", guard(*at) + " is valid, and the server has lost its znode");
        const auto others = valid.find(record.folder);
        if (others != valid.end())
            for (const auto& other : others->second) judge_double(*at, other);
        for (auto other = failed.begin(); other != at; ++other)
            if (history_.contenders.at(*other).folder == record.folder) judge_double(*at, *other);
    }
}

// Two guards are valid, so both holders may write. A store that compares tokens must accept the later holder and refuse
// the earlier holder.
void invariants::judge_double(contender_key failed, contender_key other) {
    const auto& mine = history_.contenders.at(failed);
    const auto& theirs = history_.contenders.at(other);
    if (!exclude(mine.wants.kind, theirs.wants.kind)) return;
    if (!doubles_.insert(std::minmax(failed, other)).second) return;
    ++broken_.double_holds;
    // If the servers deleted the znode, they granted the lock before that, even if the client learned of the grant
    // later.
    const auto granted_at = [this](const contender_record& record) {
        const auto& znode = *history_.in_place_of(record.znode);
        return history::failed_by_servers(znode) ? std::min(record.granted_at, znode.deleted_at)
                                                 : record.granted_at;
    };
    const bool earlier = granted_at(mine) <= granted_at(theirs);
    const auto& old = earlier ? mine : theirs;
    const auto& young = earlier ? theirs : mine;
    if (old.token < young.token) {
        ++broken_.refused_by_token;
    } else if (history_.in_place_of(young.znode)->was_forced) {
        ++broken_.brought_back;
    } else {
        breach("G6", fmt::format("{} and {} are both valid, and no token refuses the earlier one",
                                 guard(failed), guard(other)));
    }
}

}  // namespace turnstile::simulation
