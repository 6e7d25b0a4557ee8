// SPDX-License-Identifier: Apache-2.0
#include "core/session/reply_steps.hpp"

#include <utility>
#include <variant>

#include "base/check.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/data_call_steps.hpp"
#include "core/session/entry_steps.hpp"
#include "core/session/link_steps.hpp"

namespace turnstile::core {

namespace {

// Turns an answer about the session into "not sent": the session has ended or moved, so no server executed the request.
reply not_sent(reply answer) {
    answer.outcome = outcome::not_sent;
    return answer;
}

}  // namespace

// ---- answers that prove that the session lives ----------------------------------------------

void reply_steps::on_reply(const reply& answer) {
    if (answer.outcome == outcome::answered && answer.error == server_error::throttled) {
        auto thrown_away = not_sent(answer);
        thrown_away.error = server_error::ok;
        owners_.requests.on_throttled(answer.connection, owners_.link.server(), owners_.basics);
        return on_reply(thrown_away);
    }
    const auto now = owners_.basics.now;
    const auto found =
        owners_.requests.answered(answer, owners_.link.session_lease().timeout(), now);
    if (!found) return;  // the request is of an earlier session
    TURNSTILE_CHECK(answer.sent <= now);
    note_proof(answer, found.mapped().write);
    std::visit([&](const auto& recipient) { deliver(recipient, answer); },
               found.mapped().recipient);
    grant_waiting();
}

void reply_steps::note_proof(const reply& answer, bool write) {
    // place: answer_proves_quorum
    if (answer.outcome != outcome::answered || !proves_quorum(answer.error)) return;
    TURNSTILE_CHECK(answer.connection != 0);
    // A read-only server may have answered a request that was in progress when the session connected to that server.
    // Such an answer proves nothing. That connection has a higher number than the latest connection that was attached.
    if (answer.connection > owners_.link.connection()) return;
    owners_.link.answered(answer.connection, answer.sent, owners_.basics.now, write);
}

void reply_steps::grant_waiting() {
    const auto& link = owners_.link;
    const auto& lease = link.session_lease();
    const auto now = owners_.basics.now;
    const bool lives = lease.valid(now) || !lease.can_be_kept();
    if (owners_.epochs.state() == session_state::lost && link.attached() && lives)
        link_steps{owners_}.enter(session_state::connected, "the session continues");
    if (!link.pace().lasts(lease, now)) return;
    contender_steps{owners_}.with_some(
        id_set{owners_.contenders.table().awaiting_lease()},
        [](contender_core& waiter, contender_session& c) { waiter.on_lease_confirmed(c); });
}

// ---- passing a reply to its recipient -------------------------------------------------------

void reply_steps::deliver(const for_contender& recipient, const reply& answer) {
    if (const auto* const asker = owners_.contenders.table().find(recipient.id))
        look_for_abandoned(asker->value.folder(), answer);
    contender_steps{owners_}.on_reply(recipient.id, answer);
}

void reply_steps::deliver(const for_commits& recipient, const reply& answer) {
    commit_steps{owners_}.on_reply(recipient.hold, answer);
}

void reply_steps::deliver(const for_inquiry& recipient, const reply& answer) {
    inquiry_steps{owners_}.on_reply(recipient.id, answer);
}

void reply_steps::deliver(const for_confirmation& recipient, const reply& answer) {
    if (answer.outcome != outcome::answered)
        return owners_.requests.retry_here(answer, owners_.basics.now);
    owners_.contenders.confirmation_answered(answer.id);
    contender_steps{owners_}.with(recipient.id, [&](contender_core& checked, contender_session& c) {
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
    if (!is_heard(answer)) return owners_.requests.retry_here(answer, owners_.basics.now);
    // Removes each child of the folder that a create has made after the create's answer was lost
    // (abandoned_creates.hpp). Then calls searched(), which forgets a create after the last search for its znode.
    contender_steps{owners_}.remove_abandoned(recipient.folder, answer.children);
    owners_.traces.searched(recipient.folder, answer);
}

// Searches each answer that contains the folder's children, whatever the request's purpose, for znodes that a create
// has made after its answer was lost (abandoned_creates.hpp).
void reply_steps::look_for_abandoned(const std::string& folder, const reply& answer) {
    if (is_heard(answer) && !answer.children.empty())
        contender_steps{owners_}.remove_abandoned(folder, answer.children);
}

// ---- lists of a folder's children for several contenders -------------------------------------

void reply_steps::deliver(const for_sharers& recipient, const reply& answer) {
    look_for_abandoned(recipient.folder, answer);
    answer_sharers(recipient.sharers, answer);
    const auto unlisted = owners_.requests.list_again(recipient.folder, answer.id, owners_.basics);
    if (unlisted.empty()) return;
    reply never;
    never.connection = answer.connection;
    answer_sharers(unlisted, not_sent(std::move(never)));
}

void reply_steps::answer_sharers(const std::vector<list_sharer>& sharers, const reply& answer) {
    contender_steps contenders{owners_};
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

void reply_steps::deliver(const for_creations& recipient, const reply& answer) {
    entry_steps{owners_}.on_reply(recipient, answer);
}

// ---- watches on folders ----------------------------------------------------------------------

void reply_steps::deliver(const for_folder_watch& recipient, const reply& answer) {
    owners_.traces.folder_watch_answered(recipient.folder, answer, owners_.basics);
}

// ---- removals -------------------------------------------------------------------------------

// The servers carry out a transaction as a whole or not at all. If they refuse a part, each removal is sent again at
// once, alone, and gets its own answer.
void reply_steps::deliver(const for_removals& recipient, const reply& answer) {
    const auto& removals = recipient.removals;
    owners_.traces.removal_answered(answer.id);
    if (removals.size() > 1 && is_batch_refused(answer)) {  // place: batch_is_refused
        remove_one_by_one(removals, answer);
    } else {
        answer_removals(removals, answer);
    }
    // Sends the next removals. A contender whose znode was removed may have ended. It cannot send the next removals, so
    // this function sends them.
    contender_steps{owners_}.send_removals(session_traces::sending::in_turn);
}

void reply_steps::remove_one_by_one(const std::vector<removal>& removals, const reply& answer) {
    if (!owners_.link.attached()) return answer_removals(removals, not_sent(answer));
    // place: sent_each_by_itself
    for (const auto& each : removals) contender_steps{owners_}.remove_together({each});
}

void reply_steps::answer_removals(const std::vector<removal>& removals, const reply& answer) {
    auto own = answer;  // place: answers_removers
    own.parts.clear();
    for (const auto& each : removals) owners_.traces.removal_over(each);
    for (const auto& each : removals) {
        own.id = each.id;
        contender_steps{owners_}.on_reply(each.contender, own);
    }
}

}  // namespace turnstile::core
