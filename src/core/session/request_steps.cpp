// SPDX-License-Identifier: Apache-2.0
#include "core/session/request_steps.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/random.hpp"
#include "core/session/session_errors.hpp"

namespace turnstile::core {

ticket request_steps::send(operation&& op, addressee&& recipient) {
    const auto id = life_.tickets.take();
    send_as(id, std::move(op), std::move(recipient));
    return id;
}

// A repeated write of a caller has never counted for the lease, which rests on what the session does for its holds.
void request_steps::send_as(ticket id, operation&& op, addressee&& recipient) {
    TURNSTILE_CHECK(life_.epoch);
    const bool write = is_write(op) && !std::holds_alternative<for_inquiry>(recipient);
    if (is_of_contenders(recipient)) life_.epoch->window.sent(id, life_.now);
    life_.epoch->pending.emplace(id, route{std::move(recipient), write});
    if (auto* connection = life_.attached()) {
        connection->last_sent = life_.now;
        life_.silence.sent(life_.now);
    }
    TURNSTILE_CHECK(id != ticket{});
    life_.actions.emplace_back(submit{{id, std::move(op)}});
}

// ---- reads and repeated writes --------------------------------------------------------------

void request_steps::start_inquiry(inquiry_id id, const operation& op,
                                  std::optional<time_point> deadline, std::uint64_t only_on) {
    if (const auto why = life_.refused()) {
        life_.actions.emplace_back(answer{id, *why});
        return;
    }
    send_removals(sending::all);
    life_.inquiries.add(id, op, deadline, only_on);
    if (deadline) life_.deadlines.add(*deadline, id);
    send_inquiry(id);
}

void request_steps::send_inquiry(inquiry_id id) {
    if (!life_.attached()) return;
    if (life_.inquiries.is_too_late(id, life_.connections()))
        return answer_inquiry(id, answered(server_error::bad_version));
    if (auto op = life_.inquiries.begin(id)) send(std::move(*op), for_inquiry{id});
}

void request_steps::answer_inquiry(inquiry_id id, std::variant<reply, error>&& outcome) {
    const auto inquiry = life_.inquiries.take(id);
    if (!inquiry) return;  // the caller has given up
    if (inquiry->deadline) life_.deadlines.remove(*inquiry->deadline, id);
    life_.actions.emplace_back(answer{id, std::move(outcome)});
}

void request_steps::send_inquiries() {
    if (life_.inquiries.empty()) return;
    for (const auto id : life_.inquiries.ids()) send_inquiry(id);
}

// ---- lists ----------------------------------------------------------------------------------

void request_steps::list_for(const list_sharer& sharer, std::string&& folder) {
    TURNSTILE_CHECK(life_.epoch);
    auto& lists = life_.epoch->lists;
    if (lists.is_under_way(folder, life_.latest_connection())) {
        lists.join(folder, sharer);  // place: joins_the_next_list
    } else {
        send_list(sharer.id, std::move(folder), {sharer});
    }
}

void request_steps::send_list(ticket id, std::string folder, std::vector<list_sharer>&& sharers) {
    TURNSTILE_CHECK(!sharers.empty());
    TURNSTILE_CHECK(life_.epoch);
    life_.epoch->lists.sent(folder, life_.latest_connection(), id);
    children_op listed{folder};
    send_as(id, std::move(listed), for_sharers{std::move(folder), std::move(sharers)});
}

// ---- creates --------------------------------------------------------------------------------

// A contender that enters does not find those of this session in its way that have given up and wait to go.
void request_steps::create_for(creation&& wanted) {
    TURNSTILE_CHECK(life_.epoch);
    auto& creations = life_.epoch->creations;
    if (creations.gathers()) return creations.add(std::move(wanted));
    send_removals(sending::all);
    send_as(wanted.id, std::move(wanted.znode), for_contender{wanted.contender});
}

void request_steps::send_creations() {
    TURNSTILE_CHECK(life_.attached());
    for (auto& group : life_.epoch->creations.take()) {
        if (group.size() == 1) {
            create_alone(group.front());
            continue;
        }
        auto op = creation_request(group, "_probe-" + base::make_guid(life_.chance));
        send(std::move(op), for_creations{std::move(group)});
    }
}

void request_steps::create_alone(const creation& created) {
    send_as(created.id, create_op{created.znode}, for_contender{created.contender});
}

// ---- removals -------------------------------------------------------------------------------

void request_steps::remove_for(removal&& wanted) {
    TURNSTILE_CHECK(life_.epoch);
    auto& epoch = *life_.epoch;
    std::erase_if(wanted.watched, [&](const std::string& path) {
        const bool alone = epoch.watches.remove(path, wanted.contender);
        return !alone || epoch.removals.removes(path);
    });
    epoch.removals.add(std::move(wanted));
    send_removals(sending::in_turn);
}

void request_steps::send_removals(sending which) {
    if (!life_.attached()) return;
    auto& removals = life_.epoch->removals;
    while (removals.ready() || (which == sending::all && !removals.empty()))
        remove_together(removals.take());
}

// A watch on a znode that we remove is used up by that, and need not be given back.
void request_steps::give_back_watches(removal& removed) {
    const auto& epoch = *life_.epoch;
    for (auto& path : std::exchange(removed.watched, {}))
        if (!epoch.removals.removes(path) && !epoch.watches.interests().contains(path))
            life_.actions.emplace_back(forget_watches{std::move(path)});
}

// A contender that is over would only make the others fail.
void request_steps::remove_together(std::vector<removal>&& all) {
    TURNSTILE_CHECK(life_.attached());
    TURNSTILE_CHECK(!all.empty());
    TURNSTILE_CHECK(life_.epoch);
    auto& queue = life_.epoch->removals;
    for (auto& removed : all) give_back_watches(removed);
    std::erase_if(all, [this, &queue](const removal& removed) {
        if (life_.contenders.find(removed.contender) != nullptr) return false;
        queue.over(removed);
        return true;
    });
    if (all.empty()) return;
    const auto id = all.size() == 1 ? all.front().id : life_.tickets.take();
    queue.sent(id);
    auto op = removal_request(all);
    send_as(id, std::move(op), for_removals{std::move(all)});
}

// ---- what the session asks by itself --------------------------------------------------------

void request_steps::search_abandoned() {
    TURNSTILE_CHECK(life_.attached());
    auto folder = life_.epoch->abandoned.folder_due();
    life_.attached()->search = send(children_op{folder}, for_search{folder});
}

// ---- again ----------------------------------------------------------------------------------

void request_steps::retry_later() {
    // place: time_retries
    if (auto* connection = life_.attached())
        connection->retry.later(life_.now + life_.confirm_interval());
}

void request_steps::on_throttled(std::uint64_t number) {
    auto* connection = life_.attached();
    if (connection == nullptr || number != connection->number) return;
    if (!connection->retry.note_throttled()) return;
    if (!std::exchange(life_.epoch->throttling_told, true))
        life_.actions.emplace_back(warning{throttling(life_)});
    connection->retry.pause(life_.now, life_.chance);
}

}  // namespace turnstile::core
