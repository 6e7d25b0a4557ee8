// SPDX-License-Identifier: Apache-2.0
// The state `queued`: the contender lists the folder, decides whether it must wait, and watches the contenders ahead.
// state_hand_over.cpp handles the end of a contender ahead.
#include <string_view>
#include <utility>

#include <boost/container/flat_set.hpp>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_call.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::core::state {

queued::queued(first&& from) : waiting{std::move(from)}, ahead{0} {}

// ---- events ---------------------------------------------------------------------------------

bool queued::asks_for_place() const {
    return listing || low_water.reads() || beside->permits.reads() || beside->ties.asks();
}

void queued::step(contender_call& call) {
    if (!call.may_ask()) return;
    if (rename->is_wanted()) return step_renaming(call);
    if (asks_for_place()) return;
    auto& c = call.session;
    if (is_listed_on(c.connection())) return probe(call);
    // Reads our znode if the latest read is old: since that read, a client may have ordered this contender to leave.
    // No grant may follow that order.
    if (!own.is_fresh(c)) own.look(c, path(call));
    list(call);
}

void queued::on_reply(contender_call& call, const reply& answer) {
    if (listing.take_answer(answer)) return on_listed(call, answer);
    if (own.expects(answer.id)) return apply(call, answer, read_own(call, answer));
    if (low_water.expects(answer.id)) return on_low_water(call, answer);
    if (beside->permits.expects(answer.id)) return on_permits(call, answer);
    if (beside->ties.expects(answer.id)) return on_tied(call, answer);
    if (rename->expects(answer.id)) return on_renamed(call, answer);
    if (delay->expects(answer.id))  // sent in an earlier state `first`
        return apply(call, answer, delay.change().on_answer(call.session, own_mark(call), answer));
    for (auto& znode : awaited)
        if (znode.probing.take_answer(answer)) return on_probed(call, znode, answer);
}

void queued::on_watch(contender_call& call, const watch_event& event) {
    if (auto* const znode = awaited.find(call.folder(), event.path)) {
        call.step();
        on_awaited(call, *znode, event);
    } else if (event.path == path(call)) {
        if (own.on_event(event.kind)) {
            lose_znode(call);
        } else {
            watch_own(call);
        }
    }
}

void queued::leave(contender_call& call, const error& why) {
    fail(call, why);  // place: waiter_leaves
}

void queued::fail(contender_call& call, const error& why) {
    call.session.tell(failed{why});
    call.enter(leaving{std::move(*this)});
}

void queued::give_back(contender_call& call) {
    awaited.give_back(call.session, call.folder());
    give_back_own(call);
}

void queued::end_epoch(contender_call& call, const error& why) {
    give_back(call);  // place: place_ends_with_session
    call.enter(after_session(call, why));
}

// During a rename, the rename itself has probably removed the old znode. Only the rename's answer shows whether the
// contender still has a znode.
void queued::lose_znode(contender_call& call) {
    if (rename->is_wanted()) return;
    give_back(call);
    call.enter(outside{});
}

void queued::apply(contender_call& call, const reply& answer, const consequence& effect) {
    if (std::holds_alternative<suspends>(effect)) call.suspend(answer);
    if (std::holds_alternative<own_znode_gone>(effect)) lose_znode(call);
    if (const auto* const refusal = std::get_if<refused>(&effect)) fail(call, refusal->why);
}

void queued::apply_data(contender_call& call, const reply& answer) {
    apply(call, answer, read_data(call, answer));
}

// ---- lists ----------------------------------------------------------------------------------

void queued::list(contender_call& call) {
    TURNSTILE_CHECK(!asks_for_place());
    TURNSTILE_CHECK(!rename->is_wanted());
    auto& c = call.session;
    if (call.settings.wants.kind != claim_kind::permit) {
        listing = c.list(call.folder());
        return;
    }
    const auto watch = beside->permits.lists_with_watch() ? watch_mode::watch : watch_mode::none;
    listing = c.submit(children_op{call.folder(), watch});
    beside.change().permits.read(c, call.folder());
}

void queued::on_listed(contender_call& call, const reply& answer) {
    TURNSTILE_CHECK(!listing);
    auto& c = call.session;
    switch (classify(answer)) {
        case answer_class::ok:
        case answer_class::gone: break;
        case answer_class::forbidden:
            return fail(call, {errc::no_permission, "to list the children of " + call.folder()});
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
    listed_on = answer.connection;
    pzxid = answer.stat.pzxid;
    low_water.apply_list(answer.stat, answer.children.size());
    const auto* const prepared = c.index(family(kind));
    if (const auto judged = prepared != nullptr ? prepared->decide(name) : std::nullopt)
        return take_place(call, *judged);
    if (!beside->permits.reads() && !beside->permits.limit()) return judge(call, answer.children);
    auto& kept = beside.change();
    kept.permits.apply_list(answer);
    kept.children = answer.children;
    if (!kept.permits.reads()) judge_kept(call);
}

void queued::on_permits(contender_call& call, const reply& answer) {
    const bool compares = !call.settings.agreed && !call.facts.permits_compared;
    const auto outcome = beside.change().permits.on_answer(
        call.folder(), compares ? call.settings.limit : std::nullopt, answer);
    if (std::holds_alternative<suspends>(outcome)) listed_on = 0;
    if (!std::holds_alternative<done>(outcome)) return apply(call, answer, outcome);
    call.facts.permits_compared = true;
    if (is_listed_on(answer.connection)) judge_kept(call);
}

void queued::on_tied(contender_call& call, const reply& answer) {
    const auto outcome = beside.change().ties.on_answer(answer);
    if (std::holds_alternative<lists_again>(outcome) || std::holds_alternative<suspends>(outcome))
        listed_on = 0;
    apply(call, answer, outcome);
    if (call.leaves_state() || std::holds_alternative<suspends>(outcome)) return;
    // The contender keeps a list of children until it knows the czxids of all contenders with equal numbers. Then it
    // determines its position from this list. If the list is out of date, the contender lists the folder again instead.
    if (!beside->ties.asks() && is_listed_on(answer.connection)) judge_kept(call);
}

void queued::judge_kept(contender_call& call) {
    TURNSTILE_CHECK(!beside->permits.reads());
    TURNSTILE_CHECK(!beside->ties.asks());
    if (beside->permits.is_of_the_list()) {
        judge(call, std::exchange(beside.change().children, {}));
    } else {
        listed_on = 0;
    }
}

void queued::judge(contender_call& call, const std::vector<std::string>& children) {
    const auto limit = beside->permits.limit().value_or(permit_limit{});
    auto judged = decide(children, name, beside->ties.czxids(), limit);
    if (judged.ties) {  // the time of our create matters only for equal numbers
        auto& kept = beside.change();
        kept.ties.learn(name, czxid);
        judged = decide(children, name, kept.ties.czxids(), limit);
        if (judged.verdict == verdict::ask_czxid) kept.children = children;
    } else if (!beside->permits.limit()) {
        beside.reset();  // keep `beside` only for equal numbers or a limit
    }
    take_place(call, judged);
    if (!call.leaves_state() && judged.verdict == verdict::wait_on_any)
        beside.change().permits.settle(call.session, call.folder(), children);
}

// ---- the contender's position in the queue --------------------------------------------------

void queued::take_place(contender_call& call, const decision& judged) {
    TURNSTILE_CHECK(listed_on != 0);
    const auto& folder = call.folder();
    if (judged.foreign && judged.verdict != verdict::absent)
        if (const auto refusal = call.session.foreign_ahead(folder, family(kind), *judged.foreign))
            return fail(call, *refusal);
    ties = ties || judged.ties;
    if (ahead == 0U) ahead.reset();
    switch (judged.verdict) {
        case verdict::absent: return lose_znode(call);  // place: missing_in_the_list
        case verdict::ask_czxid: return beside.change().ties.ask(call.session, folder, judged.tied);
        case verdict::granted:
            awaited.give_back(call.session, folder);
            // From now on this contender's requests for the folder's children set no watch. Otherwise a request on a
            // later connection would set a watch that no code unregisters.
            watch_one_by_one();
            return call.enter(first{std::move(*this)});
        case verdict::wait_on:
        case verdict::wait_on_any: return wait_for(call, judged);
        case verdict::change_places: return change_places(call, judged);
        case verdict::orphan:
            return fail(call, {errc::removed, "the znode of the upgradable hold on " + folder +
                                                  ", during the upgrade"});
        case verdict::too_many:
            return fail(call, {errc::bad_option, folder + " has " +
                                                     std::to_string(beside->permits.limit()->now) +
                                                     " permits, and the call asks for " +
                                                     std::to_string(call.settings.wants.permits)});
    }
}

void queued::wait_for(contender_call& call, const decision& judged) {
    TURNSTILE_CHECK(judged.ahead > 0);
    auto& c = call.session;
    const auto& folder = call.folder();
    // Another contender is ahead, so the crash mark at the servers (znode_texts.hpp) may be that contender's. If this
    // attempt gives up (attempt::once), it must first forget its own crash mark. Otherwise the removal of its znode
    // would also delete the other contender's mark.
    if (delay.changed()) delay.change().begin_again();
    // place: try_is_refused
    if (call.settings.mode == attempt::once) {
        const bool is_one = judged.ahead == 1 && !judged.predecessor.empty();
        c.tell_busy(judged.ahead,
                    is_one ? base::child_path(folder, judged.predecessor) : std::string{});
        return call.enter(leaving{std::move(*this)});
    }
    boost::container::flat_set<std::string_view> names;
    if (judged.verdict == verdict::wait_on) {
        names.insert(judged.predecessor);
        watch_one_by_one();
    } else {
        names.emplace();  // the folder, whose data have the limit
        choose_watches(call, judged);
        if (!beside->permits.lists_with_watch())
            names.insert(judged.holders.begin(), judged.holders.end());
    }
    awaited.remove_if([&](const awaited_znode& znode) {
        if (names.contains(znode.child)) return false;
        c.unwatch(znode.path(folder));
        return true;
    });
    for (const auto& child : names) {
        if (const auto* const added = awaited.add(child)) {
            c.watch(added->path(folder));
            seen_ahead.reset();
        }
    }
    if (ahead != judged.ahead) c.tell(position_known{judged.ahead});
    ahead = static_cast<std::uint32_t>(judged.ahead);
    waited = true;
    TURNSTILE_CHECK(!awaited.empty());
    probe(call);
}

void queued::watch_one_by_one() {
    if (beside->permits.lists_with_watch()) beside.change().permits.watch_by_children(false);
}

void queued::choose_watches(contender_call& call, const decision& judged) {
    TURNSTILE_CHECK(judged.verdict == verdict::wait_on_any);
    const auto& folder = call.folder();
    std::size_t more = 0;
    std::size_t bytes = 0;
    for (const auto& child : judged.holders) {
        if (awaited.find(folder, base::child_path(folder, child)) != nullptr) continue;
        ++more;
        bytes += folder.size() + 1 + child.size() + k_length_field;
    }
    auto& permits = beside.change().permits;
    permits.watch_by_children(!call.session.has_room_to_watch(judged.holders.size(), more, bytes));
    if (!permits.lists_with_watch()) return;
    if (!permits.children_watched_on(call.session.connection()))
        listed_on = 0;  // list the children again, with a watch
}

// ---- contenders ahead -----------------------------------------------------------------------

// Sets watches on the znodes of the contenders ahead by requests of type get. A request of type exists would leave a
// watch even on a znode that is gone.
void queued::probe(contender_call& call) {
    TURNSTILE_CHECK(call.session.attached());
    auto& c = call.session;
    for (auto& znode : awaited)
        if (!znode.probing && znode.on != c.connection())
            // place: probe_of_awaited
            znode.probing = c.submit(get_op{znode.path(call.folder()), watch_mode::watch});
}

void queued::on_probed(contender_call& call, awaited_znode& probed, const reply& answer) {
    TURNSTILE_CHECK(!probed.probing);
    auto& c = call.session;
    switch (classify(answer)) {
        case answer_class::ok:
            probed.on = answer.connection;
            // An empty name means the semaphore's folder, whose limit the contender has read before, without a watch.
            // If the limit has changed since that read, the contender lists the folder again.
            if (probed.child.empty() && parse_limit(answer.data) != beside->permits.limit())
                listed_on = 0;
            if (!probed.child.empty())
                seen_ahead.change() = contender_ahead::of(answer, c.session_id());
            return;
        case answer_class::gone:
            // If an earlier get has set a watch on this znode, perhaps on an earlier connection, the watch's event has
            // not come. Then the C client still has that watch, and the session must drop it.
            if (probed.on != 0) {
                c.unwatch(probed.path(call.folder()));
            } else {
                c.unwatch_gone(probed.path(call.folder()));
            }
            // place: awaited_was_gone
            return on_awaited_gone(call, awaited.remove(probed), answer.connection);
        case answer_class::forbidden:
            if (probed.on == answer.connection) return;  // a second look: the znode exists
            return fail(call, {errc::no_permission, "to watch " + probed.path(call.folder())});
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return call.suspend(answer);
    }
}

void queued::on_awaited(contender_call& call, awaited_znode& znode, const watch_event& event) {
    if (event.kind == watch_kind::children) {
        // If no request of this contender has set the watch that fired, the event concerns an older watch, or a watch
        // of another contender of this session. The contender ignores that event.
        if (!beside->permits.children_watched_on(event.connection)) return;
        beside.change().permits.children_watch_fired();
        listed_on = 0;
        return;
    }
    if (event.kind != watch_kind::deleted) {
        znode.on = 0;  // place: watch_is_used_up
        // A contender ahead was granted, or the limit has changed. Either change may make permits free for a waiter.
        if (call.settings.wants.kind == claim_kind::permit) listed_on = 0;
        return;
    }
    call.session.unwatch(event.path);
    on_awaited_gone(call, awaited.remove(znode), event.connection);
}

}  // namespace turnstile::core::state
