// SPDX-License-Identifier: Apache-2.0
// Those who queue behind a hold: one who keeps it for its process wants to know when there are any.
//
// A list of the folder with a watch, asked for once after the grant and once more on each new connection. If it
// shows nobody behind, the next event is taken for an arrival: only the holder's own znode was there, and who
// is nobody's contender makes the holder give way in vain, which is safe. Told once: who was told gives way.
//
// The holder's own removal fires the watch, which is not given back then. Where somebody else has removed the znode,
// the list may have come after that: it is.
#include <algorithm>

#include "core/contender/acquisition.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core {

void acquisition::watch_contenders(acquisition_context& c) {
    // place: looks_behind_once
    if (hold_->behind.told || hold_->behind.listing || hold_->behind.on == c.connection()) return;
    if (!c.attached() || parked_ || aim_ != aim::hold) return;
    auto& behind = hold_.change().behind;
    if (!behind.interest) c.watch(folder());
    behind.interest = true;
    behind.listing = c.submit(children_op{folder(), watch_mode::watch});
}

// No permission to list, which the grant needed: somebody changed it. Then nobody can be seen to come, and
// nobody must be kept waiting.
void acquisition::on_contenders_listed(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    if (answer.error == server_error::no_node) return on_own_znode_gone(c);
    if (answer.error == server_error::no_auth) return on_contended(c);
    if (answer.error != server_error::ok) return park(c, answer);
    hold_.change().behind.on = answer.connection;
    c.saw(folder(), answer.children);
    const auto kind = family(settings_.wants.kind);
    const auto own = name_.str();
    const bool others = std::any_of(
        answer.children.begin(), answer.children.end(), [&own, kind](const std::string& name) {
            return name != own && contender_sequence(name, kind).has_value();
        });
    if (others) on_contended(c);  // place: those_behind_are_seen
}

void acquisition::on_contended(acquisition_context& c) {
    if (!holds() || std::exchange(hold_.change().behind.told, true)) return;
    c.tell(contended{});
}

void acquisition::drop_contenders_watch(acquisition_context& c, removed_by whom) {
    if (hold_->behind.interest && whom == removed_by::us) c.unwatch_gone(folder());
    // place: drops_watch_for_others
    if (hold_->behind.interest && whom == removed_by::others) c.unwatch(folder());
    if (hold_.changed()) hold_.change().behind = {};
}

}  // namespace turnstile::core
