// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/queue/contender_name.hpp"
#include "simulation/ensemble.hpp"

// Models ZooKeeper's `sync`. If a follower's client sends a sync, the leader answers when the leader's current
// proposals are committed. If the leader's own client sends it, the leader answers at once, without a check that any
// server still follows the leader.
namespace turnstile::simulation {

// For trials of the lease rule that confirms by a sync: returns true if the request is a confirmation, a multi that
// only checks the znode of a contender. The trial then handles the request as a sync.
bool ensemble::taken_for_sync(const core::request* request) const {
    if (!scenario_.trial.sync_confirms || request == nullptr) return false;
    const auto* multi = std::get_if<core::multi_op>(&request->op);
    if (multi == nullptr || multi->parts.size() != 1) return false;
    const auto* check = std::get_if<core::check_op>(&multi->parts.front());
    return check != nullptr &&
           core::contender_sequence(check->path.substr(check->path.rfind('/') + 1));
}

void ensemble::sync(server_id at, connection_id by, client_message&& message) {
    auto& here = servers_[at];
    const bool at_once = leader_ == at || here.deposed;
    std::optional<core::reply> done;
    if (at_once) done.emplace().outcome = core::outcome::answered;
    here.queues.at(by).push_back({std::move(message), true, std::move(done)});
    if (!at_once) return link_up(at, sync_request{by});
    trace_.note(agenda_.now(), [&] {
        return name(at) + " answers a sync" +
               (here.deposed ? ", and has no followers any more" : "");
    });
    if (draw_ambush()) ambush(at, by);
    answer_from_head(at, by);
}

void ensemble::on_sync_request(server_id from, connection_id by) {
    if (proposed_.empty()) return link_down(from, synced{by});
    proposed_.back().syncs.emplace_back(from, by);
}

}  // namespace turnstile::simulation
