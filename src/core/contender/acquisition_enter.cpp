// SPDX-License-Identifier: Apache-2.0
// The way into the queue: create the znode, its parents where they are missing, and find out what
// became of a create whose answer was lost.
#include <algorithm>
#include <utility>

#include "core/contender/acquisition.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::core {

namespace {

// The parents may be reaped between our creating them and our using them, but not for ever.
constexpr int k_max_parent_rounds = 16;

// "/a", "/a/b", "/a/b/c" for "/a/b/c".
std::vector<std::string> prefixes(const std::string& path) {
    std::vector<std::string> result;
    for (auto at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        result.push_back(path.substr(0, at));
    result.push_back(path);
    return result;
}

}  // namespace

error no_more_upgrades(const std::string& folder) {
    return {errc::too_many,
            "the sequence numbers of " + folder +
                " have come to their end at 2147483647: an upgradable hold cannot be "
                "upgraded there any more"};
}

error quota_exceeded(const std::string& path) {
    return {errc::quota_exceeded,
            "no znode can be made in " + path +
                ", or written there: the number of znodes or of bytes that a quota on it or on a "
                "parent of it allows is used up (below /zookeeper/quota)"};
}

error sessions_are_local(const std::string& path) {
    return {errc::local_session, "no znode of a session can be made in " + path +
                                     ": the servers have localSessionsEnabled=true and need "
                                     "localSessionsUpgradingEnabled=true, too"};
}

void acquisition::create(acquisition_context& c) {
    // Among equal numbers nothing tells which upgradable hold the upgrade belongs to, and whom it passes.
    if (settings_.wants.kind == contender_kind::upgrade && at_counter_end(settings_.wants.upgrades))
        return fail(c, no_more_upgrades(folder()));
    auto& made = attempt_.change();
    made.guid = c.new_guid();  // place: fresh_guid
    place_ = place::asked;
    seen_at_ = c.now();
    // A session's requests are answered in order: the list shows our own node.
    made.creating =
        c.submit(create_op{folder() + '/' + contender_prefix(made.guid, settings_.wants), data(),
                           create_mode::ephemeral_sequential, c.acl()});
    list(c);
}

// The answers to what was asked right behind a create that came to nothing.
void acquisition::forget_list() {
    listing_.reset();
    if (beside_->reading_limit) beside_.change().reading_limit.reset();
}

void acquisition::on_created(acquisition_context& c, const reply& answer) {
    if (answer.what == outcome::not_sent) {
        forget_list();
        place_ = place::none;
        park(c, answer);
        return;
    }
    // place: create_is_refused
    const bool refused = answer.what == outcome::answered && answer.error != server_error::ok;
    // place: create_failed
    if (refused && answer.error != server_error::session_expired &&
        answer.error != server_error::session_moved) {
        forget_list();
        place_ = place::none;
        refuse_create(c, answer);
        return;
    }
    if (answer.what == outcome::unknown || refused ||
        answer.stat.ephemeral_owner != c.session_id()) {
        forget_list();
        place_ = place::unsure;
        park(c, answer);
        return;
    }
    place_ = place::mine;
    name_ = std::string_view{answer.path}.substr(answer.path.rfind('/') + 1);
    czxid_ = answer.stat.czxid;
    if (settings_.lock_delay > duration{}) mark_.change().own_ctime = answer.stat.ctime;
    version_ = answer.stat.version;
    attempt_.reset();
    parents_.reset();
    if (aim_ == aim::hold) c.tell(entered{znode()});
}

void acquisition::refuse_create(acquisition_context& c, const reply& answer) {
    const auto& folder = settings_.folder.str();
    switch (answer.error) {
        case server_error::no_node:
            if (aim_ == aim::hold) create_parents(c);  // place: missing_parent
            return;
        case server_error::not_read_only: return park(c, answer);
        case server_error::no_auth:
            return fail(c, {errc::no_permission, "no permission to create a znode in " + folder});
        case server_error::invalid_acl:
            return fail(c, {errc::bad_option,
                            "access::creator_only needs credentials that the servers accept"});
        case server_error::auth_failed:
            return fail(c, {errc::auth_failed, "the servers refused the credentials"});
        case server_error::no_children_for_ephemerals:
            return fail(c, {errc::bad_path, "\"" + folder +
                                                "\": the znode at this path is ephemeral and "
                                                "cannot have children"});
        case server_error::quota_exceeded: return fail(c, quota_exceeded(folder));
        case server_error::local_session: return fail(c, sessions_are_local(folder));
        case server_error::unimplemented:
            return fail(c, {errc::server_too_old,
                            "the server does not know create2 (it came with "
                            "ZooKeeper 3.5)"});
        default:
            return fail(c, {errc::protocol, "the servers refused to create a znode in " + folder});
    }
}

void acquisition::create_parents(acquisition_context& c) {
    auto& parents = parents_.change();
    if (parents.refusal) return fail(c, error{*parents.refusal});
    if (++parents.rounds > k_max_parent_rounds)
        return fail(c, {errc::protocol, folder() + " keeps vanishing after we made it"});
    const bool lease = settings_.wants.kind == contender_kind::lease;
    if (lease && !settings_.limit) {
        return fail(
            c, {errc::bad_path, folder() + " is no semaphore yet, and how many permits it is to "
                                           "have was not said"});
    }
    for (auto& path : prefixes(folder())) {
        create_op parent{std::move(path), {}, c.parent_mode(), c.acl()};
        // What it says outlives an idle semaphore, which a container does not.
        if (lease && parent.path == folder()) {
            parent.data = limit_text({*settings_.limit, *settings_.limit});
            parent.mode = create_mode::persistent;
        }
        parents.creating.push_back(c.submit(std::move(parent)));
    }
}

void acquisition::on_parent(acquisition_context& c, const reply& answer) {
    auto& refusal = parents_.change().refusal;
    // The first of them has the chroot as its parent, and their answers come in order.
    const bool first = parents_->creating.size() + 1 == prefixes(folder()).size();
    if (answer.what != outcome::answered) {
        parents_.change().rounds = 0;  // this one says nothing about parents that vanish
        park(c, answer);
    } else if (answer.error == server_error::quota_exceeded) {
        refusal = quota_exceeded(folder());
    } else if (answer.error == server_error::unimplemented) {
        c.containers_unsupported();
    } else if (answer.error == server_error::no_node && first) {
        refusal = error{errc::no_chroot, "the chroot of the connect string does not exist"};
    } else if (answer.error == server_error::no_auth) {
        // Not final: the parent may be there already, and only the right to make it is missing.
        refusal = error{errc::no_permission, "no permission to create the parents of " + folder()};
    } else if (answer.error == server_error::no_children_for_ephemerals) {
        refusal = error{errc::bad_path, "\"" + folder() +
                                            "\": a parent is ephemeral and cannot have "
                                            "children"};
    } else if (answer.error == server_error::invalid_acl) {
        refusal = error{errc::bad_option, "access::creator_only needs credentials"};
    }
    // What comes next is the create again; if the parent is still missing it tells the refusal.
}

void acquisition::resolve(acquisition_context& c) {
    if (attempt_->verifying || listing_ || attempt_->locating) return;
    if (attempt_->verified_on != c.connection()) {  // place: create_is_verified
        attempt_.change().verifying = renamed_->unsure ? c.submit(set_op{znode(), data(), version_})
                                                       : c.submit(multi_op{{check_op{folder()}}});
    } else {
        listing_ = c.submit(children_op{folder()});
    }
}

void acquisition::on_verified(acquisition_context& c, const reply& answer) {
    if (renamed_->unsure) return on_fenced(c, answer);
    if (answer.what == outcome::answered && proves_quorum(answer.error)) {
        attempt_.change().verified_on = answer.connection;
    } else {
        park(c, answer);
    }
}

void acquisition::look_for_guid(acquisition_context& c, const reply& answer) {
    // place: list_behind_the_write
    if (answer.connection != attempt_->verified_on) return;  // once more from the start
    const auto& children = answer.children;
    const auto child = std::find_if(children.begin(), children.end(), [this](const auto& name) {
        return made_by(name, attempt_->guid) &&
               contender_sequence(name, family(settings_.wants.kind));
    });
    if (answer.error == server_error::no_node || child == children.end()) {
        c.abandon(attempt_->guid);
        lose_place(c);
        return;
    }
    name_ = *child;
    attempt_.change().locating = c.submit(get_op{znode()});
}

void acquisition::on_located(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) return park(c, answer);
    if (answer.error == server_error::no_auth) {
        // We may not read our own node: by its GUID it is ours to remove, but nothing to hold.
        place_ = place::mine;
        return fail(c, {errc::no_permission, "no permission to read " + znode()});
    }
    if (answer.error != server_error::ok && answer.error != server_error::no_node)
        return park(c, answer);
    // place: located_is_ours
    if (answer.error != server_error::ok || answer.stat.ephemeral_owner != c.session_id()) {
        c.abandon(attempt_->guid);
        lose_place(c);
        return;
    }
    place_ = place::mine;
    attempt_.reset();
    czxid_ = answer.stat.czxid;
    if (settings_.lock_delay > duration{}) mark_.change().own_ctime = answer.stat.ctime;
    version_ = 0;
    if (aim_ == aim::hold) c.tell(entered{znode()});
    adopt(c, answer);
    listed_on_ = 0;
}

}  // namespace turnstile::core
