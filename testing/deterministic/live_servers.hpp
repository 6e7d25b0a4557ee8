// SPDX-License-Identifier: Apache-2.0
// live_servers: the simulated ensemble in a deterministic run. Clients' messages reach it when the clients' threads
// send them, and its planned events happen in virtual time.
//
// One mutex guards the ensemble, the network and the servers' side of all sessions. A thread that has locked the
// mutex begins by executing the events that are due. While no other thread locks the mutex, the ensemble's own thread
// executes them. Messages to a client wait at its session (live_session), for the session's thread.
//
// Thread safety: any thread of the run may call all members, except where a comment says otherwise.
#pragma once

#include <boost/thread/thread.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "schedule/scheduler.hpp"
#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "simulation/disturbances.hpp"
#include "simulation/ensemble.hpp"
#include "simulation/handle.hpp"
#include "simulation/history.hpp"
#include "simulation/network.hpp"
#include "simulation/scenario.hpp"
#include "simulation/trace.hpp"
#include "turnstile/testing/simulation.hpp"

namespace turnstile::deterministic {

using simulation::client_id;
using simulation::instant;
using simulation::planned_event;

// The servers' view of a session. The servers call these members under their mutex.
class served_session {
public:
    // Called when a message has arrived, which the session's thread must handle.
    virtual void arrive(planned_event&& event) = 0;
    virtual void crash() = 0;

protected:
    ~served_session() = default;
};

class live_servers {
public:
    // Must be called on the run's first thread. A run that lasts longer than `limit` fails.
    live_servers(const testing::simulation_options& options, core::duration limit);
    live_servers(const live_servers&) = delete;
    live_servers& operator=(const live_servers&) = delete;
    ~live_servers() = default;

    // Locks the mutex, and runs `act` at the current time.
    template <class F>
    auto enter(F&& act) {
        const base::lock_guard lock{mutex_};
        return act_now(std::forward<F>(act));
    }
    [[nodiscard]] base::mutex& mutex() noexcept { return mutex_; }
    // Runs `act` at the current time. The caller has locked the mutex.
    template <class F>
    auto act_now(F&& act) REQUIRES(mutex_) {
        play();
        struct waking {
            live_servers& self;
            ~waking() { self.wake_if_sooner(); }
        } const last{*this};
        return act();
    }

    // ---- for sessions, which call the next functions inside enter() ----
    [[nodiscard]] std::unique_ptr<simulation::handle> open(served_session& own,
                                                           std::uint16_t process, client_id& id);
    void forget(client_id session) { sessions_.erase(session); }
    [[nodiscard]] const simulation::scenario& plans() const noexcept { return scenario_; }
    [[nodiscard]] simulation::network& links() noexcept { return network_; }
    [[nodiscard]] simulation::dice& chance() noexcept { return dice_; }
    [[nodiscard]] instant now() const noexcept { return agenda_.now(); }
    template <class F>
    void note(F&& sentence) {
        trace_.note(agenda_.now(), std::forward<F>(sentence));
    }

    // ---- faults ----
    void strike(simulation::fault kind);
    void cut_off(std::uint16_t process, core::duration length);
    void pause(std::uint16_t process, core::duration length);
    void crash(std::uint16_t process);
    void delete_by_hand(const std::string& znode);
    // Creates the znode and its missing parents.
    void make_by_hand(const std::string& znode);

    // ---- queries ----
    struct found_node {
        std::string data;
        std::int32_t version = 0;
        bool ephemeral = false;
    };
    [[nodiscard]] std::optional<found_node> find(const std::string& znode);
    [[nodiscard]] std::vector<std::string> children(const std::string& znode);
    // Returns the events of the run as text for people. Call this after the end of the run.
    [[nodiscard]] std::string story() const;
    // From now on, faults also affect this process.
    void add_process(std::uint16_t process, std::string_view name);

private:
    struct known_session {
        served_session* own;
        std::uint16_t process;
    };

    void run();
    void play() REQUIRES(mutex_);
    void wake_if_sooner() REQUIRES(mutex_);
    [[nodiscard]] static instant present() noexcept;
    template <class E>
    void on(const E& event);
    void on_fault(const simulation::fault_due& event);
    void strike_now(simulation::fault kind);
    void cut_off_now(std::uint16_t process, core::duration length);
    void pause_now(std::uint16_t process, core::duration length);
    [[nodiscard]] core::duration some_time();
    void to_session(client_id session, planned_event&& event);

    base::mutex mutex_;
    base::condition_variable sooner_;
    const core::duration limit_;
    const simulation::scenario scenario_;
    simulation::agenda agenda_;
    simulation::dice dice_;
    simulation::trace trace_;
    simulation::disturbances disturbances_;
    simulation::history history_;
    simulation::network network_;
    simulation::ensemble servers_;
    std::map<client_id, known_session> sessions_;
    client_id opened_ = 0;
    std::map<std::uint16_t, std::string> processes_;  // running processes and their names
    // The true time at which the servers' own thread next wakes.
    instant awaited_{};
    boost::thread thread_;  // runs until the end of the run
};

}  // namespace turnstile::deterministic
