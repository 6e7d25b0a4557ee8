// SPDX-License-Identifier: Apache-2.0
// contender_steps: what a session does with its acquisitions (session_owners.hpp). Every event of an acquisition goes through
// `with`: the acquisition handles the event, its effects are executed in order, and what has become of it is noted. None
// of the effects gives an acquisition an event.
//
// Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "core/contender/contender_session.hpp"
#include "core/contender/contender_view.hpp"
#include "core/session/session_owners.hpp"

namespace turnstile::core {

class contender_steps {
public:
    explicit contender_steps(session_owners& owners) : owners_{owners} {}

    // ---- what callers want ----
    void acquire(const core::acquire& request);
    void acquire(const core::acquire_together& request);
    void leave(const core::leave& request);
    void leave(const core::leave_together& request);
    void cancel(acquisition_id id, const error& why);
    void rename(const core::rename& request);

    // ---- what the servers tell ----
    void on_reply(acquisition_id id, const reply& answer, prepared_list* list = nullptr);
    void on_watch(const watch_event& event);
    // Looks for znodes of abandoned creates among a folder's children; each one found is removed by a contender that
    // only leaves.
    void remove_abandoned(const std::string& folder, const std::vector<std::string>& children);

    // ---- what time brings ----
    // Its deadline has passed.
    void expire(acquisition_id id);
    void end_long_holds();
    void end_delays();
    void look_again();
    // The rotation of the checks comes to each hold seldom; a watch tells of a deletion or of a revocation at
    // once. Once armed it costs nothing, and a hold that ends before the first confirmation needs none, nor does
    // a wait. The watches are set before the check, and at a reconnect before anything else: what is written into a
    // holder's znode is then known to it before an answer that would make its lease longer. No such request of an
    // earlier connection is under way at an attach: the C client has answered all it lost before (free_completions).
    void watch_own_znodes(id_set ids);
    // Sends a check of the znode that is next in turn: a write whose answer shows that the session lives.
    void confirm();
    // On a new connection, or after a pause: each goes on, those that wait in line as the window allows.
    void go_on();
    // Contenders that waited for room in the window: first those in line, then those that are to enter.
    void let_in();

    // ---- removals that go together ----
    void send_removals(session_traces::sending which);
    // In one transaction. A contender that is over, since its znode is gone, is left out: it would only make the others
    // fail.
    void remove_together(std::vector<removal>&& all);

    // ---- folders whose next contender may be alone (sole_contender_memory.hpp) ----
    void note_number(const std::string& folder, const contender_effects::number_known& known);

    // ---- each event of an acquisition ----
    // `event(acquisition&, contender_session&)`, if the acquisition is there.
    template <class F>
    void with(acquisition_id id, F&& event, prepared_list* list = nullptr) {
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
            ++at;  // `with` may erase this one, and only this one
            with(id, event);
        }
    }

private:
    void watch_folder(const std::string& folder);
    [[nodiscard]] bool numbers_count_creates() const;
    // Returns true if the hold is released once its commits are over.
    [[nodiscard]] bool release_later(const core::leave& request);
    [[nodiscard]] contender_view view_of(acquisition_id id, const contender& of,
                                         prepared_list* list) const;
    // The loop over the effects of one event.
    void execute_effects(acquisition_id id);

    session_owners& owners_;
};

}  // namespace turnstile::core
