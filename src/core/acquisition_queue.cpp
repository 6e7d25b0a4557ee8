// The place in the queue: list, decide, watch the predecessor, and be granted.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/acquisition.hpp"
#include "core/contender_name.hpp"

namespace turnstile::core {

namespace {

// So close to the end of the servers' sequence counter a hand-over is always checked with a list.
constexpr std::int32_t k_near_counter_end = std::numeric_limits<std::int32_t>::max() - 1'000'000;

}  // namespace

void acquisition::on_listed(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok:
        case server_error::no_node: break;
        case server_error::no_auth:
            if (place_ == place::mine)
                return fail(c, {errc::no_permission,
                                "no permission to list the children of " + settings_.folder});
            return c.replace_session("a znode of ours may be in " + settings_.folder +
                                     ", and we may not look");
        default: return park(c, answer);
    }
    c.saw(settings_.folder, answer.children);
    if (place_ == place::unsure) return look_for_guid(c, answer);
    if (place_ != place::mine || aim_ != aim::hold) return;
    listed_on_ = answer.connection;
    judge(c, answer.children);
}

void acquisition::judge(acquisition_context& c, const std::vector<std::string>& children) {
    czxids_[name_] = czxid_;
    auto judged = decide(children, name_, czxids_);
    ties_ = ties_ || judged.ties;
    first_ = false;
    switch (judged.what) {
        case verdict::absent: return on_own_znode_gone(c);
        case verdict::ask_czxid:
            tied_children_ = children;
            for (auto& name : judged.tied) {
                const auto id = c.submit(get_op{settings_.folder + '/' + name});
                asking_czxid_.emplace(id, std::move(name));
            }
            return;
        case verdict::granted:
            drop_predecessor(c);
            first_ = true;
            ahead_ = 0;
            return grant_if_certain(c);
        case verdict::wait_on: return wait_on(c, judged);
    }
}

void acquisition::on_tied(acquisition_context& c, const reply& answer, const std::string& name) {
    if (aim_ != aim::hold) return;
    if (answer.what != outcome::answered) {
        listed_on_ = 0;
        return park(c, answer);
    }
    if (answer.error == server_error::ok) {
        czxids_[name] = answer.stat.czxid;
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
    if (asking_czxid_.empty() && answer.connection == listed_on_)
        judge(c, std::exchange(tied_children_, {}));
}

void acquisition::wait_on(acquisition_context& c, const decision& judged) {
    if (settings_.mode == attempt::once) {
        return fail(c,
                    {errc::busy, std::to_string(judged.ahead) + " ahead on " + settings_.folder});
    }
    const auto path = settings_.folder + '/' + judged.predecessor;
    if (path != predecessor_) {
        drop_predecessor(c);
        predecessor_ = path;
        c.watch(predecessor_);
        probing_.reset();
    }
    if (ahead_ != judged.ahead) c.tell(queued{judged.ahead});
    ahead_ = judged.ahead;
    probe_predecessor(c);
    if (ahead_ == std::size_t{1}) watch_own_znode(c);
}

void acquisition::probe_predecessor(acquisition_context& c) {
    if (predecessor_.empty() || probing_ || predecessor_watched_on_ == c.connection()) return;
    // get, not exists: exists would leave a watch on a node that is gone.
    probing_ = c.submit(get_op{predecessor_, watch_mode::watch});
}

void acquisition::on_probed(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    switch (answer.error) {
        case server_error::ok: predecessor_watched_on_ = answer.connection; return;
        case server_error::no_node: listed_on_ = 0; return;
        case server_error::no_auth:
            return fail(c, {errc::no_permission, "no permission to watch " + predecessor_});
        default: return park(c, answer);
    }
}

// The hand-over. With one contender ahead in a list of this connection, and our own znode watched on
// it, the deletion of that one leaves nobody ahead: events of one connection come in the order of
// the deletions, so ours still stands. In every other case a fresh list decides.
void acquisition::on_predecessor_gone(acquisition_context& c, std::uint64_t connection) {
    c.unwatch(predecessor_);
    predecessor_.clear();
    const bool current =
        connection == c.connection() && listed_on_ == connection && own_watched_on_ == connection;
    const bool ordered =
        !ties_ && contender_sequence(name_).value_or(std::numeric_limits<std::int32_t>::max()) <
                      k_near_counter_end;
    if (current && ordered && ahead_ == std::size_t{1} && aim_ == aim::hold && !granted_) {
        first_ = true;
        ahead_ = 0;
        grant_if_certain(c);
    } else {
        listed_on_ = 0;
    }
}

void acquisition::watch_own_znode(acquisition_context& c) {
    if (place_ != place::mine || aim_ != aim::hold || !c.attached()) return;
    if (watching_own_ || own_watched_on_ == c.connection()) return;
    if (!own_interest_) c.watch(znode());
    own_interest_ = true;
    watching_own_ = c.submit(get_op{znode(), watch_mode::watch});
}

void acquisition::on_own_watched(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return;  // armed again when it matters
    if (answer.error == server_error::ok) {
        own_watched_on_ = answer.connection;
    } else if (answer.error == server_error::no_node) {
        on_own_znode_gone(c);
    }
}

// Success is told only while the lease says that the hold is certain (F28). Otherwise the session
// sends a confirmation, and we are asked again.
void acquisition::grant_if_certain(acquisition_context& c) {
    if (granted_ || aim_ != aim::hold || !c.lease_valid()) return;
    granted_ = true;
    told_ = true;
    c.tell(granted{fencing_token{static_cast<std::uint64_t>(czxid_)}, znode()});
}

}  // namespace turnstile::core
