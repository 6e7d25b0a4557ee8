// SPDX-License-Identifier: Apache-2.0
// contender_steps: handles the events of a session's contenders (session_owners.hpp). Every event of a contender goes
// through `with`: the contender handles the event, and the session executes the effects in order and stores the
// contender's new state. No effect gives an event to a contender.
//
// Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "core/contender/contender_session.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/session/session_owners.hpp"

namespace turnstile::core {

class contender_steps {
public:
    explicit contender_steps(session_owners& owners) : owners_{owners} {}

    // ---- requests of callers ----
    void acquire(const core::acquire& request);
    void leave(const core::leave& request);
    void leave(const core::leave_together& request);
    void cancel(contender_id id, const error& why);
    void rename(const core::rename& request);

    // ---- messages of the servers ----
    void on_reply(contender_id id, const reply& answer, prepared_list* list = nullptr);
    void on_watch(const watch_event& event);
    // Searches a folder's children for znodes that a create has made late, after its answer was lost
    // (abandoned_creates.hpp). For each znode found, adds a contender that only removes the znode.
    void remove_abandoned(const std::string& folder, const std::vector<std::string>& children);

    // ---- deadlines, ends of time limits, and writes that extend the lease ----
    void expire(contender_id id);
    void end_long_holds();
    void end_delays();
    void look_again();
    // Sets a watch on the own znode of each of these contenders. The watch reports at once that another client has
    // deleted the znode, or that an operator has ordered the contender to leave. Without the watch, only the checks of
    // confirm() would show such a change, and they check one hold after the other. Waiters, and holds that end before
    // their first confirmation, can do without this watch.
    //
    // The watches are set before each check, and after a reconnect before any other request. So the session knows of a
    // write into a holder's znode before an answer extends the holder's lease. When a connection begins, no request for
    // a watch from an earlier connection is in progress: the C client has answered all requests that it lost
    // (free_completions).
    void watch_own_znodes(id_set ids);
    // Sends a check of the next contender's znode, in rotation: a write whose answer proves that the session lives.
    void confirm();
    // Continues all contenders when a connection has begun, or after a pause. The request window limits how many
    // waiters continue at once.
    void go_on();

    // ---- several removals in one transaction ----
    void send_removals(session_traces::sending which);
    // Sends the removals in one transaction. Omits the removal of a contender that has ended: its znode is gone, and
    // the removal of a missing znode would fail the whole transaction.
    void remove_together(std::vector<removal>&& all);

    // ---- folders in which the next contender is perhaps the only one (sole_contender_memory.hpp) ----
    void note_number(const std::string& folder, const contender_effects::number_known& known);
    // True if each create in a folder raises the folder's sequential numbers (coordinator::numbers_count_creates), and
    // the servers are known to be Apache ZooKeeper's.
    [[nodiscard]] bool numbers_count_creates() const;

    // ---- each event of a contender ----
    template <class F>
    void with(contender_id id, F&& event, prepared_list* list = nullptr) {
        auto* const found = owners_.contenders.find(id);
        if (found == nullptr) return;
        const auto kind_before = found->value.kind();
        const auto seen = view_of(id, *found, list);
        contender_session session{seen, owners_.basics.tickets, owners_.basics.chance,
                                  owners_.effects};
        event(found->value, session);
        execute_effects(id);
        if (owners_.contenders.update(id, *found, kind_before, owners_.link.connection(),
                                      owners_.basics))
            owners_.commits.hold_has_settled(id);
    }
    template <class F>
    void with_some(const id_set& ids, F&& event) {
        for (const auto id : ids) with(id, event);
    }
    template <class F>
    void with_all(F&& event) {
        const auto& all = owners_.contenders.table().all();
        for (auto at = all.begin(); at != all.end();) {
            const auto id = at->first;
            ++at;  // `with` may erase this entry, and no other
            with(id, event);
        }
    }

private:
    void watch_folder(const std::string& folder);
    // Postpones the release if the hold has guarded writes in progress. Returns true if the release is postponed.
    [[nodiscard]] bool release_later(const core::leave& request);
    [[nodiscard]] contender_view view_of(contender_id id, const contender_entry& of,
                                         prepared_list* list) const;
    void execute_effects(contender_id id);

    session_owners& owners_;
};

}  // namespace turnstile::core
