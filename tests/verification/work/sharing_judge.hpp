// SPDX-License-Identifier: Apache-2.0
// sharing_judge: checks locks that a process shares among its threads. invariants.hpp checks the promises of these
// locks' contenders.
//
// | name | judged                                                                                 |
// |------|----------------------------------------------------------------------------------------|
// | G1   | At most one thread of a process holds, and only while the process holds the contender  |
// |      | and the contender's lease is valid.                                                    |
// |      | No two guards on a path are valid at once, in any process.                             |
// | G5   | The loss of the contender is reported soon to the thread that holds through it, and to |
// |      | no other thread. A thread that requested it is warned when the lease runs low.         |
// | G6   | Tokens grow from grant to grant, over all processes.                                   |
// | G7   | Local waits end by their deadlines.                                                    |
// | G8   | A call fails only if the reason in its error is true.                                  |
// | S1   | lock_options::cohort: after the process knows of waiters in other processes, its       |
// |      | threads hand the lock over at most `cohort` times, and never after a request to        |
// |      | release. Then the process releases the contender. The process learns of waiters soon.  |
// | S2   | lock_options::retain_for: a process without a holder releases the contender when other |
// |      | processes queue or the retain time has passed, and never without such a reason.        |
// | S3   | The threads of a process are granted in the order of their arrival.                    |
// | S4   | While a thread waits, its process has requested a contender, or another thread of the  |
// |      | process holds. Each call gets one answer. Each contender is requested once.            |
//
// G1 and G6 exclude contenders that an operator removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/composite/local_queue.hpp"
#include "core/contender/notice.hpp"
#include "simulation/history.hpp"
#include "turnstile/fencing_token.hpp"
#include "verification/invariants.hpp"

namespace turnstile::simulation {

// sharing: the state of a lock that the threads of a simulated client share. The state consists of a core::local_queue,
// of the contender that this queue requests, and of the threads' calls.

// States of a call. `granted`: the caller has not resumed yet. `held`: the caller has its guard. `lost`: the hold has
// ended, and the caller must still release it.
struct local_call {
    enum class state { waiting, granted, held, lost, refused };

    std::size_t worker = 0;
    core::sharing::caller caller;
    bool given_up = false;
    state now = state::waiting;
    std::optional<core::contender_id> contender;
    fencing_token token;
    core::time_point limit = core::time_point::max();  // limit of this call's wait
};

struct shared_lock {
    std::string folder;
    core::local_queue_settings settings;
    core::local_queue value;
    std::map<core::local_id, local_call> calls;  // calls in the order of arrival
    std::uint64_t number = 0;                    // number of the latest requested contender
    bool withdrawn = false;
    std::optional<core::contender_id> held;  // the contender, from its grant until it is given back
    std::optional<core::time_point> armed;   // when the timer is due
    std::size_t unanswered = 0;              // requested contenders without an answer
};

// Gives sharing_judge access to a client whose threads share contenders.
class sharing_holder {
public:
    sharing_holder() = default;
    sharing_holder(const sharing_holder&) = default;
    sharing_holder& operator=(const sharing_holder&) = default;
    [[nodiscard]] virtual std::vector<const shared_lock*> shared_locks() const = 0;

protected:
    ~sharing_holder() = default;
};

class sharing_judge {
public:
    sharing_judge(history& truth, const agenda& future, const invariants& contenders)
        : history_{truth}, agenda_{future}, contenders_{contenders} {}

    void add(client_id id, const client_view& client, const sharing_holder& party) {
        holders_.push_back({id, &client, &party});
    }

    // ---- what a guard would return ----
    [[nodiscard]] instant now() const { return agenda_.now(); }
    [[nodiscard]] core::time_point valid_until(client_id client, core::contender_id which) const;
    [[nodiscard]] fencing_token token(client_id client, core::contender_id which) const;
    [[nodiscard]] bool contender_valid(client_id client, core::contender_id which) const;
    [[nodiscard]] bool valid(client_id client, const local_call& call) const;
    [[nodiscard]] bool answered(client_id client, core::contender_id which) const;

    // ---- inputs of the state machine, reported before it gets them ----
    void on_contender_granted(const shared_lock& lock, std::uint64_t number);
    void on_contender_refused(const shared_lock& lock, std::uint64_t number, const error& why);
    void on_contender_lost(const shared_lock& lock, std::uint64_t number);
    void on_contended(const shared_lock& lock, std::uint64_t number);
    void on_asked_to_release(const shared_lock& lock, std::uint64_t number);
    // ---- decisions of the state machine ----
    void on_action(client_id client, const shared_lock& lock, const core::sharing::action& action);
    void on_token(client_id client, const shared_lock& lock, const local_call& call);
    void on_settled(client_id client, const shared_lock& lock);  // the decision has been executed
    void on_over(const shared_lock& lock, const local_call& call);

    void after_event();

private:
    enum class has { nothing, asked, it };
    struct holder {
        client_id id = 0;
        const client_view* client = nullptr;
        const sharing_holder* state = nullptr;
    };
    // The state of one lock in one process, which sharing_judge computes without the tested state machine.
    struct books {
        has contender = has::nothing;
        std::uint64_t number = 0;
        bool knows_of_waiters = false;
        bool asked_to_go = false;      // an operator asked the contender to release
        std::uint32_t grants = 0;      // grants under this contender
        std::uint32_t passes = 0;      // hand-overs after the process knew of waiters
        std::optional<error> refused;  // why the latest contender was refused
        std::optional<core::local_id> holder;
        std::optional<core::time_point> idle_since;
        // True if a thread held for too long and lost its hold. The process may then release the contender.
        bool expelled = false;
        std::optional<instant> waiters_unknown_since;
        std::optional<instant> lost_since;  // time of the loss of the holder's contender
        // The times at which the holder's lease ran low and at which the holder got a warning, on the holder's clock.
        std::optional<core::time_point> low_since;
        std::optional<core::time_point> warned;
    };

    void judge(client_id client, const shared_lock& lock, const core::sharing::ask& question);
    void judge(client_id client, const shared_lock& lock, const core::sharing::withdraw& withdraw);
    void judge(client_id client, const shared_lock& lock, const core::sharing::give_back& back);
    void judge(client_id client, const shared_lock& lock, const core::sharing::tell_granted& grant);
    void judge(client_id client, const shared_lock& lock,
               const core::sharing::tell_refused& refused);
    void judge(client_id client, const shared_lock& lock, const core::sharing::tell_lost& lost);
    void judge(client_id client, const shared_lock& lock,
               const core::sharing::tell_expiring& expiring);
    void judge_pass(client_id client, const shared_lock& lock, books& mine);
    void judge_idle(const holder& party, const shared_lock& lock, const books& mine) const;
    void judge_knowledge(const holder& party, const shared_lock& lock, books& mine) const;
    void judge_calls(const holder& party, const shared_lock& lock, books& mine) const;
    void judge_warning(const holder& party, const shared_lock& lock, books& mine) const;
    void judge_together(const std::vector<holder>& all) const;
    [[nodiscard]] const contender_record& record(client_id client, core::contender_id which) const;
    [[nodiscard]] const client_view& view(client_id client) const;
    [[nodiscard]] bool forced(client_id client, core::contender_id which) const;
    [[nodiscard]] bool others_queue(client_id client, const shared_lock& lock) const;

    history& history_;
    const agenda& agenda_;
    const invariants& contenders_;
    std::vector<holder> holders_;
    std::map<const shared_lock*, books> books_;
    std::map<std::string, fencing_token> last_;  // latest token of each path
};

}  // namespace turnstile::simulation
