// SPDX-License-Identifier: Apache-2.0
#include "verification/work/recipe_work.hpp"

#include <algorithm>
#include <utility>

#include "verification/work/deadlock_work.hpp"
#include "verification/work/election_work.hpp"
#include "verification/work/gate_work.hpp"
#include "verification/work/recursion_work.hpp"
#include "verification/work/workload.hpp"

namespace turnstile::simulation {

using namespace std::chrono_literals;

// ---- what comes -----------------------------------------------------------------------------

void recipe_work::hear(const core::notice& notice) {
    const auto found =
        std::find_if(workers_.begin(), workers_.end(), [&notice](const worker& actor) {
            return actor.current == notice.id &&
                   (actor.state == doing::waiting || actor.state == doing::holding);
        });
    if (found == workers_.end()) return;
    if (const auto* grant = std::get_if<core::granted>(&notice.event)) {
        found->state = doing::holding;
        found->znode = grant->znode;
        found->step = 0;
        found->reply.reset();
        found->written.reset();
        plan(*found, {});
    } else if (std::holds_alternative<core::failed>(notice.event) ||
               std::holds_alternative<core::lost>(notice.event)) {
        rest(*found, some_time());
    }
}

void recipe_work::answered(const core::answer& answer) {
    for (auto& actor : workers_) {
        if (actor.request != answer.id) continue;
        actor.request = {};
        const auto* reply = std::get_if<core::reply>(&answer.outcome);
        actor.reply = reply == nullptr ? std::nullopt : std::optional{*reply};
        if (actor.state == doing::holding) plan(actor, {});
    }
}

void recipe_work::answered(const core::commit_answer& answer) {
    for (auto& actor : workers_) {
        if (actor.request != answer.id) continue;
        actor.request = {};
        actor.written = answer.outcome;
        if (actor.state == doing::holding) plan(actor, {});
    }
}

// ---- what is done ---------------------------------------------------------------------------

void recipe_work::acquire(worker& actor) {
    core::acquire call;
    actor.folder = dice_.pick(scenario_.folders);
    call.settings.folder = actor.folder;
    call.settings.wants = scenario_.work_wants;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    call.deadline = client_.local_now() + 2 * scenario_.time.session_timeout;
    actor.state = doing::waiting;
    actor.request = {};
    actor.current = client_.next_id();
    client_.acquire(std::move(call));
}

void recipe_work::read(worker& actor, const std::string& path) {
    actor.request = client_.next_id();
    client_.read(core::get_op{path}, scenario_.time.session_timeout);
}

void recipe_work::commit(worker& actor, std::vector<core::write_part>&& parts, std::string text,
                         std::vector<std::string>&& standing) {
    actor.request = client_.next_id();
    actor.written.reset();
    client_.commit(actor.current, std::move(parts), std::move(text),
                   scenario_.time.session_timeout / 2, std::move(standing));
}

void recipe_work::release(worker& actor) {
    rest(actor, some_time());
    client_.release(actor.current);
}

std::string recipe_work::unique_text(const worker& actor, const std::string& text) {
    return text + " of=" + std::to_string(client_.id()) + '.' +
           std::to_string(static_cast<std::uint64_t>(actor.current)) + '.' +
           std::to_string(++texts_);
}

// ---- the recipes ----------------------------------------------------------------------------

namespace {

constexpr const char* k_put_znode = "/state/put";
constexpr const char* k_made_parent = "/state/made";
constexpr const char* k_made_znode = "/state/made/deep";

// Writes, now and then more than one at a time, and releases while writes may be under way.
class commit_work final : public recipe_work {
public:
    using recipe_work::recipe_work;

private:
    void go_on(worker& actor) override {
        if (actor.step++ > 0 && dice_.chance(0.3)) return release(actor);
        const auto burst = dice_.from_to(1, 3);
        for (std::uint64_t i = 0; i != burst; ++i) {
            auto text = unique_text(actor, "commit");
            auto parts = dice_.chance(0.5) ? as_told(text) : planned(text);
            commit(actor, std::move(parts), std::move(text), further_holds(actor));
        }
        if (dice_.chance(0.3)) pause(actor, some_time());
    }

    // Now and then what others have planned for is not there any more when their commit comes.
    [[nodiscard]] std::vector<core::write_part> as_told(const std::string& text) {
        const core::set_op written{k_state_znode, text};
        switch (dice_.below(6)) {
            case 0: return {core::remove_op{k_put_znode}, written};
            case 1: return {core::remove_op{k_made_znode}, written};
            case 2: return {core::remove_op{k_made_znode}, core::remove_op{k_made_parent}, written};
            default: return {written};
        }
    }
    [[nodiscard]] std::vector<core::write_part> planned(const std::string& text) {
        switch (dice_.below(3)) {
            case 0: return {core::put_op{k_state_znode, text}};
            case 1: return {core::put_op{k_put_znode, text}};
            default: return {core::make_op{k_made_znode}, core::set_op{k_state_znode, text}};
        }
    }
    // Of the client's other threads.
    [[nodiscard]] std::vector<std::string> further_holds(const worker& actor) {
        std::vector<std::string> znodes;
        for (const auto& other : workers_)
            if (&other != &actor && other.state == doing::holding && dice_.chance(0.5))
                znodes.push_back(other.znode);
        return znodes;
    }
};

}  // namespace

std::unique_ptr<application> make_work(sim_client& client, const scenario& scenario, dice& chance) {
    switch (scenario.work) {
        case work_kind::locks:
        case work_kind::sharing: return std::make_unique<workload>(client, scenario, chance);
        case work_kind::conversions: return std::make_unique<workload>(client, scenario, chance);
        case work_kind::recursion:
            return std::make_unique<recursion_work>(client, scenario, chance);
        case work_kind::deadlocks: return std::make_unique<deadlock_work>(client, scenario, chance);
        case work_kind::commits: return std::make_unique<commit_work>(client, scenario, chance);
        case work_kind::elections: return std::make_unique<election_work>(client, scenario, chance);
        case work_kind::jobs: return make_job_work(client, scenario, chance);
        case work_kind::rates: return make_rate_work(client, scenario, chance);
    }
    return nullptr;
}

}  // namespace turnstile::simulation
