// SPDX-License-Identifier: Apache-2.0
// recorder: writes the clients' calls and their results into the history. It checks nothing. The class that checks the
// library's promises (verification/invariants.hpp) derives from it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/session/session_core.hpp"
#include "simulation/agenda.hpp"
#include "simulation/history.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

// client_view: shows a client's state to the code that records and checks a history, and converts the client's local
// times to the true time.
class client_view {
public:
    client_view() = default;
    client_view(const client_view&) = default;
    client_view& operator=(const client_view&) = default;
    [[nodiscard]] virtual core::time_point local_now() const = 0;
    [[nodiscard]] virtual instant true_time(core::time_point local) const = 0;
    [[nodiscard]] virtual core::time_point valid_until() const = 0;
    // Returns true if the client's clock stopped in this session. The client's guards then promise nothing (assumption
    // A1 of docs/why/lease.md).
    [[nodiscard]] virtual bool rests_on_a_stopped_clock() const = 0;
    // Returns when the client's clock last resumed after a stop.
    [[nodiscard]] virtual instant clock_goes_since() const = 0;
    [[nodiscard]] virtual bool runs() const = 0;
    [[nodiscard]] virtual instant awake_since() const = 0;
    // Returns the length of the latest stop of the client's clock.
    [[nodiscard]] virtual core::duration latest_stop() const = 0;
    // Returns the time since which the client has been attached by a working connection.
    [[nodiscard]] virtual instant undisturbed_since() const = 0;
    [[nodiscard]] virtual bool closed() const = 0;
    [[nodiscard]] virtual const core::session_core& core() const = 0;

protected:
    ~client_view() = default;
};

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
