// SPDX-License-Identifier: Apache-2.0
// The place in the queue: list, decide, watch the predecessor, and be granted.
#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <boost/container/flat_set.hpp>

#include "core/contender/acquisition.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::core {

namespace {

// So close to the end of the servers' sequence counter a hand-over is always checked with a list.
constexpr std::int32_t k_near_counter_end = std::numeric_limits<std::int32_t>::max() - 1'000'000;
// Whether the end of the only one ahead leaves a contender of this kind with the lock. Others have no zero-
// request hand-over: readers and writers need a list for their token, leases for their number.
constexpr bool handed_over(contender_kind kind) {
    return kind == contender_kind::lock || kind == contender_kind::latch;
}

constexpr std::size_t k_most_quoted = 100;  // bytes of what somebody else wrote

}  // namespace

void acquisition::on_listed(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
        case server_error::no_node: break;
        case server_error::no_auth:
            if (place_ == place::mine)
                return fail(
                    c, {errc::no_permission, "no permission to list the children of " + folder()});
            return c.replace_session("a znode of ours may be in " + folder() +
                                     ", and we may not look");
        default: return park(c, answer);
    }
    c.saw(folder(), answer.children);
    if (place_ == place::unsure) return look_for_guid(c, answer);
    if (renamed_->unsure) return look_for_new_name(c, answer);
    if (place_ != place::mine || aim_ != aim::hold) return;
    listed_on_ = answer.connection;
    pzxid_ = answer.stat.pzxid;
    listed_ = static_cast<std::uint32_t>(answer.children.size());
    heed_folder(answer.stat);
    const auto* prepared = c.index(family(settings_.wants.kind));
    if (const auto judged = prepared != nullptr ? prepared->decide(name_.str()) : std::nullopt)
        return take_place(c, *judged);
    if (!beside_->reading_limit && !beside_->limit) return judge(c, answer.children);
    auto& beside = beside_.change();
    beside.children_on = beside.by_children ? answer.connection : 0;
    beside.list_mzxid = answer.stat.mzxid;
    beside.children = answer.children;
    if (!beside.reading_limit) judge_kept(c);
}

// A semaphore's limit is read behind the list. If the list saw the same data of the folder, then that was the
// limit at the instant of the list, at which our own znode stood, too.
void acquisition::list(acquisition_context& c) {
    if (settings_.wants.kind != contender_kind::lease) {
        listing_ = c.list(folder());
        return;
    }
    listing_ = c.submit(
        children_op{folder(), beside_->by_children ? watch_mode::watch : watch_mode::none});
    beside_.change().reading_limit = c.submit(get_op{folder()});
}

void acquisition::on_limit(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered ||
        (answer.error != server_error::ok && answer.error != server_error::no_auth)) {
        listed_on_ = 0;
        return park(c, answer);
    }
    const auto& folder = settings_.folder.str();
    if (answer.error == server_error::no_auth)
        return fail(c, {errc::no_permission, "no permission to read " + folder});
    auto& beside = beside_.change();
    beside.limit = parse_limit(answer.data);
    beside.limit_mzxid = answer.stat.mzxid;
    beside.limit_version = answer.stat.version;
    if (!beside.limit)
        return fail(c, {errc::bad_path, folder +
                                            " is no semaphore: its data is not a number of "
                                            "permits but \"" +
                                            answer.data.substr(0, k_most_quoted) + '"'});
    if (settings_.limit && !settings_.agreed && *settings_.limit != beside.limit->now)
        return fail(c, {errc::bad_option, folder + " has " + std::to_string(beside.limit->now) +
                                              " permits, not " + std::to_string(*settings_.limit)});
    settings_.agreed = true;
    if (place_ == place::mine && listed_on_ == answer.connection) judge_kept(c);
}

void acquisition::judge_kept(acquisition_context& c) {
    if (aim_ != aim::hold) return;
    if (beside_->limit && beside_->limit_mzxid != beside_->list_mzxid) {
        listed_on_ = 0;
        return;
    }
    judge(c, std::exchange(beside_.change().children, {}));
}

void acquisition::judge(acquisition_context& c, const std::vector<std::string>& children) {
    if (aim_ != aim::hold) return;
    const auto limit = beside_->limit.value_or(permit_limit{});
    const auto own = name_.str();
    auto judged = decide(children, own, beside_->czxids, limit);
    if (judged.ties) {  // only then the instant of our own create matters
        auto& beside = beside_.change();
        beside.czxids[own] = czxid_;
        judged = decide(children, own, beside.czxids, limit);
        if (judged.what == verdict::ask_czxid) beside.children = children;
    } else if (!beside_->limit) {
        beside_.reset();  // equal numbers and a limit are of use for the next list, too
    }
    take_place(c, judged);
    if (judged.what == verdict::wait_on_any) settle_limit(c, children);
}

// Whoever set the limit has not found out who holds more than there are now: by this list it is. The folder is
// watched by then, and says so to all who go by it. Where we may not write it stays as it is, and costs requests.
void acquisition::settle_limit(acquisition_context& c, const std::vector<std::string>& children) {
    if (!beside_->limit || !is_open(*beside_->limit) || !waits()) return;
    if (beside_->settled_mzxid == beside_->limit_mzxid) return;
    auto& beside = beside_.change();
    beside.settled_mzxid = beside.limit_mzxid;
    const auto earlier = beside.limit->earlier;
    const auto found = settled_limit(*beside.limit, {earlier, earlier}, children);
    if (found != *beside.limit)
        beside.settling = c.submit(set_op{folder(), limit_text(found), beside.limit_version});
}

void acquisition::take_place(acquisition_context& c, const decision& judged) {
    ties_ = ties_ || judged.ties;
    first_ = false;
    handed_over_ = false;
    switch (judged.what) {
        case verdict::absent: return on_own_znode_gone(c);  // place: missing_in_the_list
        case verdict::ask_czxid:
            for (auto& name : judged.tied) {
                const auto id = c.submit(get_op{folder() + '/' + name});
                beside_.change().asking_czxid.emplace(id, std::move(name));
            }
            return;
        case verdict::granted:
            drop_awaited(c);
            first_ = true;
            ahead_ = 0;
            return grant_if_certain(c);
        case verdict::wait_on:
        case verdict::wait_on_any: return wait_for(c, judged);
        case verdict::change_places: return change_places(c, judged);
        case verdict::orphan:
            return fail(c, {errc::removed, "the upgradable hold on " + folder() +
                                               " that was to become a writer's is gone"});
        case verdict::too_many:
            return fail(c, {errc::bad_option,
                            "asks for " + std::to_string(settings_.wants.permits) + " of " +
                                std::to_string(beside_->limit->now) + " permits of " + folder()});
    }
}

void acquisition::on_tied(acquisition_context& c, const reply& answer, const std::string& name) {
    if (aim_ != aim::hold) return;
    if (answer.what != outcome::answered) {
        listed_on_ = 0;
        return park(c, answer);
    }
    if (answer.error == server_error::ok) {
        beside_.change().czxids[name] = answer.stat.czxid;
    } else if (answer.error == server_error::no_node) {
        // Ours may be gone as well, and earlier: only a list shows both at one instant.
        listed_on_ = 0;
    } else if (answer.error == server_error::no_auth) {
        return fail(c, {errc::no_permission, "no permission to read " + name +
                                                 ", whose number is "
                                                 "the same as ours"});
    } else {
        listed_on_ = 0;
        return park(c, answer);
    }
    // A list that went out of date meanwhile is asked for once more, when all answers are in.
    if (beside_->asking_czxid.empty() && answer.connection == listed_on_) judge_kept(c);
}

void acquisition::wait_for(acquisition_context& c, const decision& judged) {
    if (settings_.mode == attempt::once) {  // place: try_is_refused
        return fail(c, {errc::busy, std::to_string(judged.ahead) + " ahead on " + folder()});
    }
    boost::container::flat_set<std::string_view> names;
    if (judged.what == verdict::wait_on) {
        names.insert(judged.predecessor);
        if (beside_->by_children) beside_.change().by_children = false;
    } else {
        names.emplace();  // the folder, which says how many permits there are
        if (may_watch_each(c, judged)) names.insert(judged.leases.begin(), judged.leases.end());
    }
    awaited_.remove_if([&](const awaited_znode& one) {
        if (names.contains(one.child.str())) return false;
        c.unwatch(one.path(folder()));
        return true;
    });
    for (const auto& name : names)
        if (const auto* added = awaited_.add(name)) c.watch(added->path(folder()));
    if (ahead_ != judged.ahead) c.tell(queued{judged.ahead});
    ahead_ = static_cast<std::uint32_t>(judged.ahead);
    waited_ = true;
    probe_awaited(c);
}

// Of very many leases the first in line watches the folder's children instead: one watch, whose event comes with each
// lease that ends, and with each that comes.
bool acquisition::may_watch_each(acquisition_context& c, const decision& judged) {
    constexpr std::size_t k_length_field = 4;
    std::size_t more = 0;
    std::size_t bytes = 0;
    for (const auto& name : judged.leases) {
        if (awaited_.find(folder(), folder() + '/' + name) != nullptr) continue;
        ++more;
        bytes += folder().size() + 1 + name.size() + k_length_field;
    }
    auto& beside = beside_.change();
    beside.by_children = !c.has_room_to_watch(judged.leases.size(), more, bytes);
    if (!beside.by_children) return true;
    if (beside.children_on != c.connection()) listed_on_ = 0;  // once more, with a watch
    return false;
}

void acquisition::probe_awaited(acquisition_context& c) {
    // get, not exists: exists would leave a watch on a node that is gone.
    for (auto& one : awaited_)
        if (!one.probing && one.on != c.connection())
            // place: probe_of_awaited
            one.probing = c.submit(get_op{one.path(folder()), watch_mode::watch});
}

void acquisition::on_probed(acquisition_context& c, awaited_znode& one, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
            one.on = answer.connection;
            // It was read before without a watch, and may have changed in between.
            if (one.child.empty() && parse_limit(answer.data) != beside_->limit) listed_on_ = 0;
            return;
        case server_error::no_node:
            // Watched, also by an earlier connection, and no event came: the C client still waits for it.
            if (one.on != 0) {
                c.unwatch(one.path(folder()));
            } else {
                c.unwatch_gone(one.path(folder()));
            }
            // place: awaited_was_gone
            return on_awaited_gone(c, awaited_.remove(one), answer.connection);
        case server_error::no_auth:
            if (one.on == answer.connection) return;  // it stands: a second look showed that much
            return fail(c, {errc::no_permission, "no permission to watch " + one.path(folder())});
        default: return park(c, answer);
    }
}

void acquisition::on_awaited(acquisition_context& c, awaited_znode& one, const watch_event& event) {
    if (event.kind == watch_kind::children) {
        // Without a list that is answered, it is an earlier watch, or another one of this session, that fires.
        if (beside_->children_on != event.connection) return;
        beside_.change().children_on = 0;
        listed_on_ = 0;
        return;
    }
    if (event.kind != watch_kind::deleted) {
        one.on = 0;  // place: watch_is_used_up
        // A lease that was waited for has been granted, or the limit is another.
        if (settings_.wants.kind == contender_kind::lease) listed_on_ = 0;
        return;
    }
    c.unwatch(event.path);
    on_awaited_gone(c, awaited_.remove(one), event.connection);
}

// The hand-over: the only one that was ahead in a list of this connection is gone, by an event or by the
// answer to the look at it. Then nobody is ahead. In every other case the floor of a long queue, or a fresh list,
// decides.
void acquisition::on_awaited_gone(acquisition_context& c, const packed_name& gone,
                                  std::uint64_t connection) {
    if (connection != c.connection()) {
        listed_on_ = 0;
    } else if (may_be_handed_over(connection)) {
        folder_version_.reset();  // the one ahead may have raised the floor
        be_first(c);
    } else if (may_ask_for_the_floor(connection)) {
        ask_for_the_floor(c, gone);
    } else {
        listed_on_ = 0;
    }
}

void acquisition::be_first(acquisition_context& c) {
    first_ = true;
    handed_over_ = true;
    ahead_ = 0;
    grant_if_certain(c);
}

bool acquisition::may_be_handed_over(std::uint64_t connection) const {
    // place: may_be_handed_over
    return listed_on_ == connection && is_ordered() && ahead_ == 1U && aim_ == aim::hold &&
           !granted_;
}

// Nobody with a lower number can come any more, and nobody with the same.
bool acquisition::is_ordered() const {
    const auto number = name_.sequence();
    // place: is_ordered
    return !ties_ && number && *number < k_near_counter_end && !at_counter_end(*number) &&
           handed_over(settings_.wants.kind);
}

// Success is told only while the lease says that the hold is certain (F28). Otherwise the session
// sends a confirmation, and we are asked again.
void acquisition::grant_if_certain(acquisition_context& c) {
    // place: grant_is_certain
    if (granted_ || aim_ != aim::hold || !marked(c) || !c.lease_valid() || !is_seen(c)) return;
    granted_ = true;
    told_ = true;
    // Contenders of a read-write lock are not granted in the order in which they came: the later one's list
    // shows a later change of the folder, since whoever excluded it has gone from there. Where the counter
    // sticks at its end, a create no longer counts as a change.
    const bool sorted_by_list = family(settings_.wants.kind) == contender_family::read_write;
    // place: number_of_a_token
    const auto zxid = sorted_by_list ? std::max(pzxid_, czxid_) : czxid_;
    const fencing_token token{static_cast<std::uint64_t>(zxid)};  // place: token_of_a_grant
    if (sorted_by_list) hold_.change().token = token;
    untold_ = waited_ && settings_.wants.kind == contender_kind::lease;
    c.tell(granted{token, znode()});
    if (hold_->asked) c.tell(*std::exchange(hold_.change().asked, std::nullopt));
    // Nothing has shown that our znode stands. If somebody has deleted it, that is told one round trip later.
    // place: looks_after_hand_over
    if (handed_over_ && own_watched_on_ != c.connection() && !questions_->looking)
        look_at_own_znode(c);
}

}  // namespace turnstile::core
