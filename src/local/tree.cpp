// SPDX-License-Identifier: Apache-2.0
#include "local/tree.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "local/preparation.hpp"
#include "local/znode_path.hpp"

namespace turnstile::local {
namespace {

using core::server_error;
using core::watch_kind;

core::reply answered(const tree_node& n) {
    core::reply r = core::answered(server_error::ok);
    r.stat = n.stat();
    return r;
}

// True if servers with these `traits` do not know the request. Then they refuse the request without a zxid (transaction
// number).
bool is_unknown(const core::operation& op, const server_traits& traits) noexcept {
    const auto* create = std::get_if<core::create_op>(&op);
    if (create == nullptr) return false;
    return !traits.has_create2 ||
           (create->mode == core::create_mode::container && !traits.has_containers);
}

class local_nodes final : public node_source {
public:
    explicit local_nodes(const node_store& nodes) : nodes_{nodes} {}

    [[nodiscard]] std::optional<node_record> find(const std::string& path) const override {
        const tree_node* n = nodes_.find(path);
        if (n == nullptr) return std::nullopt;
        return node_record{n->version, n->creates, n->children.size(),
                           n->kind == tree_node_kind::ephemeral, n->access};
    }

private:
    const node_store& nodes_;
};

std::set<session_id> without(const std::set<session_id>& some, const std::set<session_id>& others) {
    std::set<session_id> rest;
    std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                        std::inserter(rest, rest.end()));
    return rest;
}

}  // namespace

// ---- sessions ---------------------------------------------------------------------------------

session_id tree::open_session(identities client) {
    ++zxid_;
    sessions_.emplace(++last_session_, std::move(client));
    return last_session_;
}

bool tree::has_session(session_id session) const {
    return sessions_.contains(session);
}

std::vector<session_id> tree::sessions() const {
    std::vector<session_id> ids;
    for (const auto& [id, client] : sessions_) ids.push_back(id);
    return ids;
}

std::vector<fired_watch> tree::close_session(session_id session) {
    std::vector<fired_watch> events;
    if (!has_session(session)) return events;
    ++zxid_;
    drop_watches(session);
    for (const std::string& path : nodes_.ephemerals_of(session)) remove_node(path, events);
    sessions_.erase(session);
    return events;
}

const identities& tree::who_is(session_id session) const {
    return sessions_.find(session)->second;
}

// ---- requests ---------------------------------------------------------------------------------

applied tree::apply(session_id session, const core::operation& op, std::int64_t now_ms,
                    std::int32_t creates_under_way) {
    if (is_unknown(op, traits_)) return {core::answered(server_error::unimplemented), {}};
    if (core::is_write(op)) return write(session, op, now_ms, creates_under_way);
    if (!has_session(session)) return {core::answered(server_error::session_expired), {}};
    if (const auto* get = std::get_if<core::get_op>(&op)) return {read(session, *get), {}};
    if (const auto* exists = std::get_if<core::exists_op>(&op)) return {read(session, *exists), {}};
    return {read(session, std::get<core::children_op>(op)), {}};
}

applied tree::write(session_id session, const core::operation& op, std::int64_t now_ms,
                    std::int32_t creates_under_way) {
    ++zxid_;
    if (!has_session(session)) return {core::answered(server_error::session_expired), {}};
    applied out{core::answered(server_error::ok), {}};
    const local_nodes before{nodes_};
    preparation checks{before, session, who_is(session), creates_under_way};
    if (const auto* multi = std::get_if<core::multi_op>(&op)) {
        write_multi(checks, *multi, now_ms, out);
    } else if (const auto* create = std::get_if<core::create_op>(&op)) {
        write_one(checks, *create, now_ms, out);
    } else if (const auto* remove = std::get_if<core::remove_op>(&op)) {
        write_one(checks, *remove, now_ms, out);
    } else {
        write_one(checks, std::get<core::set_op>(op), now_ms, out);
    }
    return out;
}

template <class Op>
void tree::write_one(preparation& checks, const Op& op, std::int64_t now_ms, applied& out) {
    const prepared p = checks.prepare(op);
    out.reply.error = p.error;
    if (p.error != server_error::ok) return;
    commit(p.changes, now_ms, out.events);
    if (const auto* create = std::get_if<create_txn>(&p.changes)) {
        out.reply.path = create->path;
        out.reply.stat = nodes_.find(create->path)->stat();
    } else if (const auto* set = std::get_if<set_txn>(&p.changes)) {
        out.reply.stat = nodes_.find(set->path)->stat();
    }
}

// If a part fails, no part changes anything. ZooKeeper nevertheless answers the parts before it with `ok`. It answers
// the parts after it with `rolled_back`, because it has not checked them.
void tree::write_multi(preparation& checks, const core::multi_op& op, std::int64_t now_ms,
                       applied& out) {
    std::vector<transaction> all;
    server_error failure = server_error::ok;
    for (const core::multi_part& part : op.parts) {
        if (failure != server_error::ok) {
            out.reply.parts.push_back(server_error::rolled_back);
            continue;
        }
        prepared p = std::visit([&](const auto& request) { return checks.prepare(request); }, part);
        failure = p.error;
        out.reply.parts.push_back(p.error);
        all.push_back(std::move(p.changes));
    }
    out.reply.error = failure;
    out.reply.paths.resize(op.parts.size());
    if (failure != server_error::ok) return;
    out.reply.versions.assign(op.parts.size(), core::k_any_version);
    for (std::size_t i = 0; i < all.size(); ++i) {
        commit(all[i], now_ms, out.events);
        if (const auto* create = std::get_if<create_txn>(&all[i])) {
            out.reply.paths[i] = create->path;
            out.reply.versions[i] = 0;
        } else if (const auto* set = std::get_if<set_txn>(&all[i])) {
            out.reply.versions[i] = set->version;
            out.reply.stat = nodes_.find(set->path)->stat();
        }
    }
}

void tree::commit(const transaction& change, std::int64_t now_ms,
                  std::vector<fired_watch>& events) {
    const moment when{zxid_, now_ms};
    if (const auto* create = std::get_if<create_txn>(&change)) {
        nodes_.create(*create, when, traits_.at_sequence_end);
        fire(data_watches_.take(create->path), watch_kind::created, create->path, create->access,
             events);
        fire_children(parent_of(create->path), events);
    } else if (const auto* remove = std::get_if<remove_txn>(&change)) {
        remove_node(remove->path, events);
    } else if (const auto* set = std::get_if<set_txn>(&change)) {
        nodes_.set(*set, when);
        fire(data_watches_.take(set->path), watch_kind::changed, set->path,
             nodes_.find(set->path)->access, events);
    }
}

// A session with a data watch and a child watch on the znode gets only one event for the removal.
void tree::remove_node(const std::string& path, std::vector<fired_watch>& events) {
    const acl access = nodes_.find(path)->access;
    nodes_.remove(path, zxid_);
    const std::set<session_id> told = data_watches_.take(path);
    fire(told, watch_kind::deleted, path, access, events);
    fire(without(child_watches_.take(path), told), watch_kind::deleted, path, access, events);
    fire_children(parent_of(path), events);
}

void tree::fire_children(const std::string& path, std::vector<fired_watch>& events) {
    fire(child_watches_.take(path), watch_kind::children, path, nodes_.find(path)->access, events);
}

// The caller has already removed the sessions' watches. A session that may not read the znode gets no event.
void tree::fire(const std::set<session_id>& to, watch_kind kind, const std::string& path,
                const acl& access, std::vector<fired_watch>& events) const {
    for (const session_id session : to) {
        if (access.allows(acl::right::read, who_is(session))) {
            events.push_back({session, kind, path});
        }
    }
}

core::reply tree::read(session_id session, const core::get_op& op) {
    const tree_node* n = nodes_.find(op.path);
    if (n == nullptr) return core::answered(server_error::no_node);
    if (!n->access.allows(acl::right::read, who_is(session)))
        return core::answered(server_error::no_auth);
    if (op.watch == core::watch_mode::watch) data_watches_.add(session, op.path);
    core::reply r = answered(*n);
    r.data = n->data;
    return r;
}

core::reply tree::read(session_id session, const core::exists_op& op) {
    const tree_node* n = nodes_.find(op.path);
    if (traits_.exists_needs_read && n != nullptr &&
        !n->access.allows(acl::right::read, who_is(session)))
        return core::answered(server_error::no_auth);
    if (op.watch == core::watch_mode::watch) data_watches_.add(session, op.path);
    return n == nullptr ? core::answered(server_error::no_node) : answered(*n);
}

core::reply tree::read(session_id session, const core::children_op& op) {
    const tree_node* n = nodes_.find(op.path);
    if (n == nullptr) return core::answered(server_error::no_node);
    if (!n->access.allows(acl::right::read, who_is(session)))
        return core::answered(server_error::no_auth);
    if (op.watch == core::watch_mode::watch) child_watches_.add(session, op.path);
    core::reply r = answered(*n);
    r.children.assign(n->children.begin(), n->children.end());
    return r;
}

// ---- watches ----------------------------------------------------------------------------------

void tree::forget_watches(session_id session, const std::string& path) {
    data_watches_.remove(session, path);
    child_watches_.remove(session, path);
}

void tree::drop_watches(session_id session) {
    data_watches_.remove_session(session);
    child_watches_.remove_session(session);
}

std::vector<fired_watch> tree::restore_watches(session_id session, const client_watch_list& watches,
                                               std::int64_t seen_zxid) {
    std::vector<fired_watch> events;
    for (const std::string& path : watches.data) {
        const tree_node* n = nodes_.find(path);
        if (n == nullptr) {
            events.push_back({session, watch_kind::deleted, path});
        } else if (n->mzxid > seen_zxid) {
            events.push_back({session, watch_kind::changed, path});
        } else {
            data_watches_.add(session, path);
        }
    }
    for (const std::string& path : watches.exists) {
        if (nodes_.find(path) != nullptr) {
            events.push_back({session, watch_kind::created, path});
        } else {
            data_watches_.add(session, path);
        }
    }
    for (const std::string& path : watches.children) {
        const tree_node* n = nodes_.find(path);
        if (n == nullptr) {
            events.push_back({session, watch_kind::deleted, path});
        } else if (n->pzxid > seen_zxid) {
            events.push_back({session, watch_kind::children, path});
        } else {
            child_watches_.add(session, path);
        }
    }
    return events;
}

std::size_t tree::watch_count() const noexcept {
    return data_watches_.size() + child_watches_.size();
}

std::set<std::string> tree::watched_by(session_id session) const {
    auto paths = data_watches_.of(session);
    paths.merge(child_watches_.of(session));
    return paths;
}

// ---- containers and state ---------------------------------------------------------------------

std::vector<fired_watch> tree::reap() {
    std::vector<fired_watch> events;
    for (const std::string& path : nodes_.abandoned_containers()) {
        ++zxid_;
        remove_node(path, events);
    }
    return events;
}

void tree::advance_zxid(std::int64_t zxid) noexcept {
    zxid_ = std::max(zxid_, zxid);
}

void tree::set_creates(const std::string& path, std::int32_t creates) {
    nodes_.set_creates(path, creates);
}

}  // namespace turnstile::local
