// SPDX-License-Identifier: Apache-2.0
// sharing_judge: what is promised of locks that a process shares among its threads, beyond what is promised
// of the contenders behind them (invariants.hpp).
//
// | name | judged                                                                                   |
// |------|------------------------------------------------------------------------------------------|
// | G1   | one local holder at a time, and only while the contender is held and its lease valid; no  |
// |      | two guards on a path are valid at once, in whichever process                               |
// | G5   | the loss of the contender is told soon to the thread that holds by it, and to no other; a   |
// |      | thread that asked for it is warned that the lease runs low                                  |
// | G6   | tokens grow from grant to grant, in whichever process                                      |
// | G7   | local waits end by their deadlines                                                         |
// | G8   | a local failure has its reason                                                             |
// | S1   | cohort: at most n hand-overs once the process knows that others queue, none once it was     |
// |      | asked to go, and then the contender is given back; the process hears of them soon          |
// | S2   | retained: idle, it is given back once others queue, and when it has been idle for so long;  |
// |      | and not without a reason                                                                   |
// | S3   | the threads of a process are granted in the order of their arrival                         |
// | S4   | while a thread waits its process has asked for a contender, or a thread of it holds; each    |
// |      | call has one answer, each contender is asked for once                                       |
//
// Contenders that were removed by force are excluded from G1 and G6, as everywhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/history.hpp"
#include "verification/invariants.hpp"
#include "verification/work/sharing.hpp"

namespace turnstile::simulation {

class sharing_judge {
public:
    sharing_judge(history& truth, const agenda& future, const invariants& contenders)
        : history_{truth}, agenda_{future}, contenders_{contenders} {}

    void add(client_id id, const client_view& client, const sharing_holder& party) {
        holders_.push_back({id, &client, &party});
    }

    // ---- questions, as a guard answers them ----
    [[nodiscard]] instant now() const { return agenda_.now(); }
    [[nodiscard]] core::time_point valid_until(client_id client, core::acquisition_id which) const;
    [[nodiscard]] fencing_token token(client_id client, core::acquisition_id which) const;
    [[nodiscard]] bool contender_valid(client_id client, core::acquisition_id which) const;
    [[nodiscard]] bool valid(client_id client, const local_call& call) const;
    [[nodiscard]] bool answered(client_id client, core::acquisition_id which) const;

    // ---- what happens to the value, before it is told so ----
    void on_contender_granted(const shared_lock& lock, std::uint64_t number);
    void on_contender_refused(const shared_lock& lock, std::uint64_t number, const error& why);
    void on_contender_lost(const shared_lock& lock, std::uint64_t number);
    void on_contended(const shared_lock& lock, std::uint64_t number);
    void on_asked_to_release(const shared_lock& lock, std::uint64_t number);
    // ---- what it decides ----
    void on_action(client_id client, const shared_lock& lock, const core::sharing::action& action);
    void on_token(client_id client, const shared_lock& lock, const local_call& call);
    void on_settled(client_id client, const shared_lock& lock);  // it has been carried out
    void on_over(const shared_lock& lock, const local_call& call);

    void after_event();

private:
    enum class has { nothing, asked, it };
    struct holder {
        client_id id = 0;
        const client_view* client = nullptr;
        const sharing_holder* state = nullptr;
    };
    // Of one lock of one process, kept apart from the value that is judged.
    struct books {
        has contender = has::nothing;
        std::uint64_t number = 0;
        bool knows_of_waiters = false;
        bool asked_to_go = false;      // by name
        std::uint32_t grants = 0;      // under this contender
        std::uint32_t passes = 0;      // of these, once it knows of waiters
        std::optional<error> refused;  // why the latest contender was
        std::optional<core::local_id> holder;
        std::optional<core::time_point> idle_since;
        bool expelled = false;  // its holder was told that it held it too long: it goes with that
        std::optional<instant> waiters_unknown_since;
        std::optional<instant> lost_since;  // the holder's contender
        // Of the holder, by its clock: since when its lease runs low, and when it was warned of that.
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
    [[nodiscard]] const acquisition_record& record(client_id client,
                                                   core::acquisition_id which) const;
    [[nodiscard]] const client_view& view(client_id client) const;
    [[nodiscard]] bool forced(client_id client, core::acquisition_id which) const;
    [[nodiscard]] bool others_queue(client_id client, const shared_lock& lock) const;

    history& history_;
    const agenda& agenda_;
    const invariants& contenders_;
    std::vector<holder> holders_;
    std::map<const shared_lock*, books> books_;
    std::map<std::string, fencing_token> last_;  // by path
};

}  // namespace turnstile::simulation
