// SPDX-License-Identifier: Apache-2.0
#include "verification/work/recipe_work.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::simulation {

using namespace std::chrono_literals;

// ---- notices and answers --------------------------------------------------------------------

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
        if (actor.request != core::awaited_id{answer.id}) continue;
        actor.request = {};
        const auto* reply = std::get_if<core::reply>(&answer.outcome);
        actor.reply = reply == nullptr ? std::nullopt : std::optional{*reply};
        if (actor.state == doing::holding) plan(actor, {});
    }
}

void recipe_work::answered(const core::commit_answer& answer) {
    for (auto& actor : workers_) {
        if (actor.request != core::awaited_id{answer.id}) continue;
        actor.request = {};
        actor.written = answer.outcome;
        if (actor.state == doing::holding) plan(actor, {});
    }
}

// ---- actions --------------------------------------------------------------------------------

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
    actor.request = client_.next_id<core::inquiry_id>();
    client_.read(core::get_op{path}, scenario_.time.session_timeout);
}

void recipe_work::commit(worker& actor, std::vector<core::write_part>&& parts, std::string text,
                         std::vector<std::string>&& standing) {
    actor.request = client_.next_id<core::commit_id>();
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

}  // namespace turnstile::simulation
