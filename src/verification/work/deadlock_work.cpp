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

// ---- the locks ------------------------------------------------------------------------------

void deadlock_work::acquire(worker& one) {
    one.owner = fmt::format("{}.{}", client_.id(), number(one));
    const auto which = dice_.below(scenario_.folders.size());
    const auto other = which + 1 + dice_.below(scenario_.folders.size() - 1);
    one.second_folder = scenario_.folders[other % scenario_.folders.size()];
    one.wants_second = false;
    queue(one, scenario_.folders[which]);
}

void deadlock_work::queue(worker& one, const std::string& folder) {
    core::acquire call;
    call.settings.folder = folder;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    one.what = doing::waiting;
    one.current = client_.next_id();
    client_.is_owned(one.current, one.owner);
    if (one.wants_second) look_later(one);
    client_.acquire(std::move(call));
}

void deadlock_work::hear(const core::notice& what) {
    if (const auto* place = std::get_if<core::entered>(&what.what)) {
        for (auto& one : workers_)
            if (one.what == doing::waiting && one.current == what.who) one.znode = place->znode;
    }
    const bool over = std::holds_alternative<core::failed>(what.what) ||
                      std::holds_alternative<core::lost>(what.what);
    const bool granted = std::holds_alternative<core::granted>(what.what);
    if (!over && !granted) return;
    for (auto& one : workers_) {
        const bool waits = one.what == doing::waiting && one.current == what.who;
        if (!waits && one.first != what.who && one.second != what.who) continue;
        if (granted) (one.wants_second ? one.second : one.first) = what.who;
        if (over && one.first == what.who) one.first.reset();
        if (over && one.second == what.who) one.second.reset();
        if (waits) {
            one.look.reset();
            one.asked = {};
            one.what = doing::holding;
        }
        return plan(one, granted ? some_time() : core::duration{});
    }
}

// The first lock was lost, or it is time to look.
void deadlock_work::lose_patience(worker& one) {
    if (!one.first) return client_.cancel(one.current);
    if (!one.look) {
        one.look = deadlock_look{scenario_.folders};
        return ask_on(one);
    }
    if (!one.reply) return look_later(one);
    handle(*one.look, *std::exchange(one.reply, std::nullopt));
    ask_on(one);
}

void deadlock_work::go_on(worker& one) {
    if (!one.first || one.wants_second) return let_go(one);
    one.wants_second = true;
    queue(one, one.second_folder);
}

void deadlock_work::let_go(worker& one) {
    const auto first = std::exchange(one.first, std::nullopt);
    const auto second = std::exchange(one.second, std::nullopt);
    rest(one, some_time());
    if (second) client_.release(*second);
    if (first) client_.release(*first);
}

// ---- looking --------------------------------------------------------------------------------

void deadlock_work::look_later(worker& one) {
    one.look.reset();
    plan(one, scenario_.time.session_timeout / 10 + some_time());
}

void deadlock_work::ask(worker& one, core::operation&& what) {
    one.reply.reset();
    one.asked = client_.next_id();
    client_.read(std::move(what), scenario_.time.session_timeout);
}

void deadlock_work::answered(const core::answer& what) {
    for (auto& one : workers_) {
        if (one.asked != what.who) continue;
        one.asked = {};
        const auto* reply = std::get_if<core::reply>(&what.what);
        one.reply = reply == nullptr ? std::nullopt : std::optional{*reply};
        plan(one, {});
    }
}

// The next question of this look, or what comes of it.
void deadlock_work::ask_on(worker& one) {
    const auto& look = *one.look;
    if (look.read != look.children.size())
        return ask(one, core::get_op{look.queues.back().path + '/' + look.children[look.read]});
    if (look.queues.size() != look.paths.size())
        return ask(one, core::children_op{look.paths[look.queues.size()]});
    conclude(one);
}

void deadlock_work::handle(deadlock_look& look, const core::reply& answer) const {
    if (look.read == look.children.size()) {
        look.queues.push_back({look.paths[look.queues.size()], {}});
        look.children = in_order(answer.children);
        look.read = 0;
        return;
    }
    const auto name = look.children[look.read++];
    if (answer.error != core::server_error::ok) return;  // it has gone
    auto& queue = look.queues.back().contenders;
    contender one;
    one.position = queue.size();
    one.name = name;
    one.session_id = answer.stat.ephemeral_owner;
    one.token = fencing_token{static_cast<std::uint64_t>(answer.stat.czxid)};
    // An order to go is written behind what the contender says.
    one.metadata.owner = client_.owner_of(answer.data.substr(0, answer.data.find(" revoke=")));
    queue.push_back(std::move(one));
}

// What one look finds a second one has to confirm.
void deadlock_work::conclude(worker& one) {
    auto look = std::move(*one.look);
    detail::forget_left_over(
        look.queues, [this](std::int64_t session) { return client_.core().has_left(session); });
    if (look.found) {
        if (!detail::still_stands(*look.found, look.queues)) return look_later(one);
        client_.gives_up(one.current, *look.found);
        return client_.cancel(one.current);
    }
    const detail::wait_for_graph graph{std::move(look.queues)};
    const auto found = graph.cycle_closed_by(
        one.second_folder, std::string_view{one.znode}.substr(one.znode.rfind('/') + 1));
    if (!found) return look_later(one);
    one.look = deadlock_look{detail::locks_of(*found)};
    one.look->found = found;
    ask_on(one);
}

}  // namespace turnstile::simulation
