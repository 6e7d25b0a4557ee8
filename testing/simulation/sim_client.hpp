// SPDX-License-Identifier: Apache-2.0
// sim_client: a simulated process with a session_core. It does the work of the real client's threads, in virtual time.
// Its `application` uses the locks.
//
// While the client is paused, none of its code runs, and messages and timers wait. When it resumes, the messages and
// timers run in any order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/session_core.hpp"
#include "simulation/agenda.hpp"
#include "simulation/application.hpp"
#include "simulation/dice.hpp"
#include "simulation/disturbances.hpp"
#include "simulation/drifting_clock.hpp"
#include "simulation/network.hpp"
#include "simulation/recipe_observer.hpp"
#include "simulation/recorder.hpp"
#include "simulation/scenario.hpp"
#include "simulation/server_session.hpp"
#include "simulation/trace.hpp"

namespace turnstile::simulation {

class sim_client final : public client_view {
public:
    // Objects that all clients of a simulated history share.
    struct surroundings {
        const simulation::scenario& scenario;
        agenda& future;
        dice& chance;
        network& links;
        recorder& records;
        trace& story;
        disturbances& faults;
        recipe_observer& recipes;
    };

    sim_client(client_id id, const client_plan& plan, const surroundings& around);

    void start(std::unique_ptr<application> application);

    // ---- functions that the application calls, in separate events ----
    // Returns the id of the next call of `acquire`, `read` or `commit`. The application must note the id before that
    // call, because answers may come inside the call.
    template <class Id = core::contender_id>
    [[nodiscard]] Id next_id() const {
        return Id{contenders_ + 1};
    }
    // Requests a lock. Fills in the caller and the znode's data.
    void acquire(core::acquire&& call);
    // Requests several locks at once, with consecutive ids.
    void acquire_together(std::vector<core::acquire>&& calls);
    void release(core::contender_id which);
    void release_together(std::vector<core::contender_id>&& all);
    void cancel(core::contender_id which);
    void rename(core::contender_id which, core::claim_kind kind);
    void read(core::operation&& operation, core::duration timeout);
    // Commits under this hold. Also requires that the znodes `standing` of further holds exist. `text` must be unique.
    void commit(core::contender_id hold, std::vector<core::write_part>&& parts, std::string text,
                core::duration timeout, std::vector<std::string>&& standing = {});
    void begins_to_lead(core::contender_id hold, const std::string& as);
    // Records that an owner enters this hold of a re-entrant lock again, or leaves it.
    void takes_share(core::contender_id hold, const lock_owner& owner);
    void leaves_share(core::contender_id hold, const lock_owner& caller);
    // is_owned() records an acquire's caller. owner_of() returns the caller by the znode's data. gives_up() records a
    // wait that ends because of a deadlock.
    void is_owned(core::contender_id which, const std::string& owner);
    [[nodiscard]] std::string owner_of(const std::string& data) const;
    void gives_up(core::contender_id which, const deadlock& found);
    [[nodiscard]] client_id id() const noexcept { return id_; }
    void wake_after(core::duration pause, std::size_t worker, std::uint64_t serial);

    // ---- events that the world delivers to the client ----
    // Returns true if the client cannot handle the event now. A paused client handles it later, and a dead client
    // never.
    template <class E>
    bool keep_if_missed(const E& event) {
        if (crashed_) return true;
        if (!paused_) return false;
        waiting_.emplace_back(event);
        return true;
    }
    void on(const at_client& event);
    void on(const client_notices& event);
    void on(const connect_due& event);
    void on(const silence_due& event);
    void on(const role_learned& event);
    void on(const found_elsewhere& event);
    void on(const leader_told& event);
    void on(const bell_rung& event);
    void on(const look_due& event);
    void on(const inbox_due& event);
    void on(const late_event_due& event);
    void on(const timer_due& event);
    void on(const worker_due& event);
    void on(const close_due& event);
    void on(const resumes& event);

    // ---- faults ----
    void pause(core::duration length);
    // Pauses the client and stops its clock, so the clock does not show that time has passed.
    void stop_machine(core::duration length);
    void crash();
    void close();
    void all_give_up() {
        if (!closing_ && runs()) application_->all_give_up();
    }
    void stop();  // makes no new calls, and releases its holds soon

    // ---- queries ----
    [[nodiscard]] core::time_point local_now() const override;
    [[nodiscard]] instant true_time(core::time_point local) const override {
        return clock_.when(local);
    }
    [[nodiscard]] core::time_point valid_until() const override;
    [[nodiscard]] bool rests_on_a_stopped_clock() const override;
    [[nodiscard]] instant clock_goes_since() const override { return clock_goes_since_; }
    [[nodiscard]] bool runs() const override { return !crashed_ && !paused_; }
    [[nodiscard]] instant awake_since() const override { return awake_since_; }
    [[nodiscard]] core::duration latest_stop() const override { return latest_stop_; }
    [[nodiscard]] instant undisturbed_since() const override { return undisturbed_since_; }
    [[nodiscard]] bool closed() const override { return closed_; }
    [[nodiscard]] const core::session_core& core() const override { return core_; }
    [[nodiscard]] const client_plan& plan() const noexcept { return plan_; }
    [[nodiscard]] bool crashed() const noexcept { return crashed_; }
    [[nodiscard]] bool at_rest() const;
    // True if the client is at rest and attached.
    [[nodiscard]] bool quiet() const;
    [[nodiscard]] std::size_t watch_count() const { return session_ ? session_->watch_count() : 0; }
    void look_at_connection();

private:
    template <class F>
    void step(F&& body);
    void begin_acquire(core::acquire& call);
    void execute(core::action&& action);
    void open_session(std::uint64_t epoch);
    void hear(const core::notice& notice);
    void collect();
    void arm();
    void finish_close();

    client_id id_;
    surroundings around_;
    client_plan plan_;
    drifting_clock clock_;
    core::session_core core_;
    std::unique_ptr<server_session> session_;
    std::deque<core::input> inbox_;
    std::unique_ptr<application> application_;
    std::uint64_t contenders_ = 0;
    std::map<core::commit_id, std::string> commits_;  // commits without an answer
    std::optional<instant> armed_;
    int spins_ = 0;
    core::time_point heard_{};  // when the latest answer arrived

    bool paused_ = false;
    bool crashed_ = false;
    bool closing_ = false;
    bool closed_ = false;
    instant awake_since_{};
    core::duration latest_stop_{};
    instant undisturbed_since_{};
    instant paused_since_{};
    bool machine_stopped_ = false;
    instant clock_goes_since_{};
    std::optional<std::uint64_t> stopped_in_;  // epoch in which the client's clock last stopped
    std::vector<planned_event> waiting_;
};

}  // namespace turnstile::simulation
