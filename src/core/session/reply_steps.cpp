// SPDX-License-Identifier: Apache-2.0
#include "core/session/reply_steps.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/answer_class.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/batch_answer.hpp"
#include "core/session/commit_steps.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/link_steps.hpp"
#include "core/session/request_steps.hpp"

namespace turnstile::core {

namespace {

// The session is over, or lives on another connection: the answer is not about the request.
reply not_sent(reply answer) {
    answer.outcome = outcome::not_sent;
    return answer;
}

}  // namespace

// ---- what it says of the session ------------------------------------------------------------

void reply_steps::on_reply(const reply& answer) {
    TURNSTILE_CHECK(life_.epoch);
    if (answer.outcome == outcome::answered && answer.error == server_error::throttled) {
        auto thrown_away = not_sent(answer);
        thrown_away.error = server_error::ok;
        request_steps{life_}.on_throttled(answer.connection);
        return on_reply(thrown_away);
    }
    auto* const connection = life_.attached();
    if (connection && answer.outcome == outcome::answered) connection->retry.answered();
    const auto found = life_.epoch->pending.extract(answer.id);
    if (connection && answer.outcome == outcome::answered &&
        answer.connection == connection->number)
        life_.silence.answered(answer.sent, life_.now, !life_.epoch->pending.empty());
    if (!found) return;  // of an earlier epoch
    TURNSTILE_CHECK(answer.sent <= life_.now);
    if (is_of_contenders(found.mapped().recipient))
        life_.epoch->window.answered(answer.id, life_.now, life_.lease.timeout());
    note_proof(answer, found.mapped().write);
    std::visit([&](const auto& recipient) { deliver(recipient, answer); },
               found.mapped().recipient);
    grant_waiting();
}

void reply_steps::note_proof(const reply& answer, bool write) {
    // place: answer_proves_quorum
    if (answer.outcome != outcome::answered || !proves_quorum(answer.error)) return;
    TURNSTILE_CHECK(answer.connection != 0);
    // Of a read-only server, which proves nothing: the request was under way when the connection changed.
    if (answer.connection > life_.latest_connection()) return;
    auto& epoch = *life_.epoch;
    epoch.heard_at = std::max(epoch.heard_at, answer.sent);
    // place: lease_from_the_request
    life_.lease.answered(answer.connection, answer.sent, life_.now, write);
    if (write) epoch.last_write = std::max(epoch.last_write, answer.sent);
}

void reply_steps::grant_waiting() {
    const bool lives = life_.lease.valid(life_.now) || !life_.lease.can_be_kept();
    if (life_.state == session_state::lost && life_.attached() && lives)
        link_steps{life_}.enter(session_state::connected, "the session lives on");
    if (!life_.pace().lasts(life_.lease, life_.now)) return;
    contender_steps{life_}.with_some(
        id_set{life_.contenders.awaiting_lease()},
        [](acquisition& waiter, contender_session& c) { waiter.on_lease_confirmed(c); });
}

// Of an earlier connection: what the session itself asks has been asked again on this one, at the attach.
bool reply_steps::is_late(const reply& answer) const {
    return answer.connection < life_.latest_connection();
}

void reply_steps::retry_here(const reply& answer) {
    if (!is_late(answer)) request_steps{life_}.retry_later();
}

// ---- what it is for -------------------------------------------------------------------------

void reply_steps::deliver(const for_contender& recipient, const reply& answer) {
    if (const auto* const asker = life_.contenders.find(recipient.id))
        look_for_abandoned(asker->value.folder(), answer);
    contender_steps{life_}.on_reply(recipient.id, answer);
}

void reply_steps::deliver(const for_commits& recipient, const reply& answer) {
    commit_steps{life_}.on_reply(recipient.hold, answer);
}

void reply_steps::deliver(const for_inquiry& recipient, const reply& answer) {
    const auto id = recipient.id;
    if (!life_.inquiries.contains(id)) return;
    if (!is_heard(answer)) {
        life_.inquiries.lost(id);
        // Sent again at the next attach; at once, if that has been already.
        if (is_late(answer)) return request_steps{life_}.send_inquiry(id);
        return retry_here(answer);
    }
    auto outcome = answer;
    outcome.connection += life_.earlier_connections;
    request_steps{life_}.answer_inquiry(id, std::move(outcome));
}

void reply_steps::deliver(const for_confirmation& recipient, const reply& answer) {
    if (answer.outcome != outcome::answered) return retry_here(answer);
    if (auto* connection = life_.attached()) connection->confirmations.answered(answer.id);
    contender_steps{life_}.with(recipient.id, [&](acquisition& checked, contender_session& c) {
        if (!stands(checked.current()) || checked.znode() != recipient.znode) return;
        switch (classify(answer)) {
            case answer_class::gone:
                return checked.on_own_znode_gone(c);  // place: check_found_nothing
            case answer_class::conflict: return checked.on_own_znode_changed(c);
            case answer_class::ok:
            case answer_class::forbidden:
            case answer_class::over_quota:
            case answer_class::bad_acl:
            case answer_class::elsewhere:
            case answer_class::retry: return;
        }
    });
}

void reply_steps::deliver(const for_search& recipient, const reply& answer) {
    if (!is_heard(answer)) return retry_here(answer);
    if (auto* connection = life_.attached(); connection && connection->search == answer.id)
        connection->search.reset();
    // First: a last look ends the search.
    contender_steps{life_}.remove_abandoned(recipient.folder, answer.children);
    life_.epoch->abandoned.looked(recipient.folder, answer.sent);
}

// Whatever the list was asked for. Other answers have no children.
void reply_steps::look_for_abandoned(const std::string& folder, const reply& answer) {
    if (is_heard(answer) && !answer.children.empty())
        contender_steps{life_}.remove_abandoned(folder, answer.children);
}

// ---- shared lists ---------------------------------------------------------------------------

void reply_steps::deliver(const for_sharers& recipient, const reply& answer) {
    look_for_abandoned(recipient.folder, answer);
    answer_sharers(recipient.sharers, answer);
    auto& lists = life_.epoch->lists;
    auto next = lists.answered(recipient.folder, answer.id);
    if (next.empty()) return;
    if (life_.attached())
        return request_steps{life_}.send_list(life_.tickets.take(), recipient.folder,
                                              std::move(next));
    lists.drop(recipient.folder);
    reply never;
    never.connection = answer.connection;
    answer_sharers(next, not_sent(std::move(never)));
}

void reply_steps::answer_sharers(const std::vector<list_sharer>& sharers, const reply& answer) {
    contender_steps contenders{life_};
    if (sharers.size() == 1 && sharers.front().id == answer.id)
        return contenders.on_reply(sharers.front().contender, answer);
    prepared_list prepared{answer.children};
    auto own = answer;
    for (const auto& sharer : sharers) {
        own.id = sharer.id;
        contenders.on_reply(sharer.contender, own, &prepared);
    }
}

// ---- creates --------------------------------------------------------------------------------

// All or nothing, as with removals.
void reply_steps::deliver(const for_creations& recipient, const reply& answer) {
    const auto& creations = recipient.creations;
    if (is_batch_refused(answer)) return create_one_by_one(creations, answer);
    for (std::size_t i = 0; i != creations.size(); ++i)
        contender_steps{life_}.on_reply(creations[i].contender,
                                        creation_answer(creations, i, answer));
}

// A contender that has given up meanwhile does not enter any more.
void reply_steps::create_one_by_one(const std::vector<creation>& creations, const reply& answer) {
    for (const auto& each : creations) {
        const auto* contender = life_.contenders.find(each.contender);
        if (life_.attached() && contender != nullptr && contender->value.waits()) {
            request_steps{life_}.create_alone(each);
            continue;
        }
        auto never = not_sent(answer);
        never.id = each.id;
        contender_steps{life_}.on_reply(each.contender, never);
    }
}

// ---- removals -------------------------------------------------------------------------------

// A transaction is all or nothing: where one of its parts is refused, all of them are sent again at once, each by
// itself, and each gets its own answer.
void reply_steps::deliver(const for_removals& recipient, const reply& answer) {
    const auto& removals = recipient.removals;
    life_.epoch->removals.answered(answer.id);
    if (removals.size() > 1 && is_batch_refused(answer)) {  // place: batch_is_refused
        remove_one_by_one(removals, answer);
    } else {
        answer_removals(removals, answer);
    }
    // Also if all of them are over by now, and nothing was sent.
    request_steps{life_}.send_removals(request_steps::sending::in_turn);
}

void reply_steps::remove_one_by_one(const std::vector<removal>& removals, const reply& answer) {
    if (!life_.attached()) return answer_removals(removals, not_sent(answer));
    // place: sent_each_by_itself
    for (const auto& each : removals) request_steps{life_}.remove_together({each});
}

void reply_steps::answer_removals(const std::vector<removal>& removals, const reply& answer) {
    auto own = answer;  // place: answers_removers
    own.parts.clear();
    for (const auto& each : removals) life_.epoch->removals.over(each);
    for (const auto& each : removals) {
        own.id = each.id;
        contender_steps{life_}.on_reply(each.contender, own);
    }
}

}  // namespace turnstile::core
