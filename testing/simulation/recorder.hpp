// SPDX-License-Identifier: Apache-2.0
// recorder: writes the clients' calls and their results into the history. It checks nothing. The class that checks the
// library's promises (verification/invariants.hpp) derives from it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "simulation/agenda.hpp"
#include "simulation/client_view.hpp"
#include "simulation/history.hpp"

namespace turnstile::simulation {

class recorder {
public:
    recorder(const agenda& future, history& truth) : agenda_{future}, history_{truth} {}
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;
    virtual ~recorder() = default;

    void add(const client_view& client) { clients_.push_back(&client); }

    virtual void on_call(contender_key key, contender_record&& record);
    void on_left(contender_key key);  // the hold was released, or the caller gave up
    void on_rename(contender_key key, core::claim_kind kind) {
        history_.contenders.at(key).wants.kind = kind;
    }
    void on_cancel(contender_key key) { history_.contenders.at(key).cancelled = true; }
    virtual void on_given_up(contender_key /*key*/) {}  // by now the contender must have its answer
    virtual void on_state(client_id /*client*/, const session_change& /*step*/) {}
    virtual void on_notice(client_id client, const core::notice& notice);
    // Called after a step of the client's core, which may have changed its lease.
    virtual void on_step(client_id client);
    virtual void on_crash(client_id client);
    void on_expired(session_id session) { history_.told_over.insert(session); }
    virtual void on_woken(client_id /*client*/, const std::string& /*znode*/) {}
    // Called when a client's timer is due repeatedly at one instant, so that the history would never end. Throws
    // std::logic_error.
    virtual void on_spin(client_id client);
    virtual void on_end(const std::string& /*left_over*/) {}  // empty: nothing is left
    virtual void after_event();

    // Returns when a caller last got a grant or an error, or learned that its contender is gone.
    [[nodiscard]] instant progressed_at() const noexcept { return progressed_at_; }

protected:
    [[nodiscard]] instant now() const noexcept { return agenda_.now(); }
    [[nodiscard]] history& truth() const noexcept { return history_; }
    [[nodiscard]] const client_view& client(client_id id) const { return *clients_[id]; }
    [[nodiscard]] const std::set<contender_key>& holding() const noexcept { return holding_; }

private:
    void record_grant(contender_key key, contender_record& record, const core::granted& grant);
    void record_loss(contender_key key, contender_record& record, const error& reason);

    const agenda& agenda_;
    history& history_;
    std::vector<const client_view*> clients_;
    std::set<contender_key> holding_;
    instant progressed_at_{};
};

}  // namespace turnstile::simulation
