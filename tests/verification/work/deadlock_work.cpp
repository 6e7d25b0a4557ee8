// SPDX-License-Identifier: Apache-2.0
#include "verification/work/deadlock_work.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

std::vector<std::string> in_order(std::vector<std::string> children) {
    std::erase_if(children, [](const auto& name) {
        return !core::contender_sequence(name, core::contender_family::lock);
    });
    std::sort(children.begin(), children.end(), [](const auto& a, const auto& b) {
        return *core::contender_sequence(a) < *core::contender_sequence(b);
    });
    return children;
}

}  // namespace

// ---- acquires and grants ---------------------------------------------------------------------

void deadlock_work::acquire(worker& actor) {
    actor.owner = fmt::format("{}.{}", client_.id(), number(actor));
    const auto which = dice_.below(scenario_.folders.size());
    const auto other = which + 1 + dice_.below(scenario_.folders.size() - 1);
    actor.second_folder = scenario_.folders[other % scenario_.folders.size()];
    actor.wants_second = false;
    queue(actor, scenario_.folders[which]);
}

void deadlock_work::queue(worker& actor, const std::string& folder) {
    core::acquire call;
    call.settings.folder = folder;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    actor.state = doing::waiting;
    actor.current = client_.next_id();
    client_.is_owned(actor.current, actor.owner);
    if (actor.wants_second) look_later(actor);
    client_.acquire(std::move(call));
}

void deadlock_work::hear(const core::notice& notice) {
    if (const auto* place = std::get_if<core::entered>(&notice.event)) {
        for (auto& actor : workers_)
            if (actor.state == doing::waiting && actor.current == notice.id)
                actor.znode = place->znode;
    }
    const bool over = std::holds_alternative<core::failed>(notice.event) ||
                      std::holds_alternative<core::lost>(notice.event);
    const bool granted = std::holds_alternative<core::granted>(notice.event);
    if (!over && !granted) return;
    for (auto& actor : workers_) {
        const bool waits = actor.state == doing::waiting && actor.current == notice.id;
        if (!waits && actor.first != notice.id && actor.second != notice.id) continue;
        if (granted) (actor.wants_second ? actor.second : actor.first) = notice.id;
        if (over && actor.first == notice.id) actor.first.reset();
        if (over && actor.second == notice.id) actor.second.reset();
        if (waits) {
            actor.look.reset();
            actor.request = {};
            actor.state = doing::holding;
        }
        return plan(actor, granted ? some_time() : core::duration{});
    }
}

// Called when the worker's first lock was lost, or when the time to search for a deadlock has come.
void deadlock_work::lose_patience(worker& actor) {
    if (!actor.first) return client_.cancel(actor.current);
    if (!actor.look) {
        actor.look = deadlock_look{scenario_.folders};
        return ask_on(actor);
    }
    if (!actor.reply) return look_later(actor);
    handle(*actor.look, *std::exchange(actor.reply, std::nullopt));
    ask_on(actor);
}

void deadlock_work::go_on(worker& actor) {
    if (!actor.first || actor.wants_second) return let_go(actor);
    actor.wants_second = true;
    queue(actor, actor.second_folder);
}

void deadlock_work::let_go(worker& actor) {
    const auto first = std::exchange(actor.first, std::nullopt);
    const auto second = std::exchange(actor.second, std::nullopt);
    rest(actor, some_time());
    if (second) client_.release(*second);
    if (first) client_.release(*first);
}

// ---- the search for a deadlock --------------------------------------------------------------

void deadlock_work::look_later(worker& actor) {
    actor.look.reset();
    plan(actor, scenario_.time.session_timeout / 10 + some_time());
}

void deadlock_work::ask(worker& actor, core::operation&& op) {
    actor.reply.reset();
    actor.request = client_.next_id<core::inquiry_id>();
    client_.read(std::move(op), scenario_.time.session_timeout);
}

void deadlock_work::answered(const core::answer& answer) {
    for (auto& actor : workers_) {
        if (actor.request != answer.id) continue;
        actor.request = {};
        const auto* reply = std::get_if<core::reply>(&answer.outcome);
        actor.reply = reply == nullptr ? std::nullopt : std::optional{*reply};
        plan(actor, {});
    }
}

// Sends the next read of the search. After the last read, decides whether there is a deadlock.
void deadlock_work::ask_on(worker& actor) {
    const auto& look = *actor.look;
    if (look.read != look.children.size())
        return ask(actor, core::get_op{look.queues.back().path + '/' + look.children[look.read]});
    if (look.queues.size() != look.paths.size())
        return ask(actor, core::children_op{look.paths[look.queues.size()]});
    conclude(actor);
}

void deadlock_work::handle(deadlock_look& look, const core::reply& answer) const {
    if (look.read == look.children.size()) {
        look.queues.push_back({look.paths[look.queues.size()], {}});
        look.children = in_order(answer.children);
        look.read = 0;
        return;
    }
    const auto name = look.children[look.read++];
    if (answer.error != core::server_error::ok) return;  // the contender is gone
    auto& queue = look.queues.back().contenders;
    contender member;
    member.position = queue.size();
    member.name = name;
    member.session_id = answer.stat.ephemeral_owner;
    member.token = fencing_token{static_cast<std::uint64_t>(answer.stat.czxid)};
    // In the data, an operator's order to release may follow the contender's text.
    member.metadata.owner = client_.owner_of(answer.data.substr(0, answer.data.find(" revoke=")));
    queue.push_back(std::move(member));
}

// Ends a search. If the first search has found a cycle, starts a second search. The worker gives up its wait only if
// the second search finds the same cycle.
void deadlock_work::conclude(worker& actor) {
    auto look = std::move(*actor.look);
    detail::forget_left_over(
        look.queues, [this](std::int64_t session) { return client_.core().has_left(session); });
    if (look.found) {
        if (!detail::still_stands(*look.found, look.queues)) return look_later(actor);
        client_.gives_up(actor.current, *look.found);
        return client_.cancel(actor.current);
    }
    const detail::wait_for_graph graph{std::move(look.queues)};
    const auto found = graph.cycle_closed_by(
        actor.second_folder, std::string_view{actor.znode}.substr(actor.znode.rfind('/') + 1));
    if (!found) return look_later(actor);
    actor.look = deadlock_look{detail::locks_of(*found)};
    actor.look->found = found;
    ask_on(actor);
}

}  // namespace turnstile::simulation
