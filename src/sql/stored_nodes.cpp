// SPDX-License-Identifier: Apache-2.0
#include "sql/stored_nodes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/never_destroyed.hpp"
#include "local/znode_path.hpp"

namespace turnstile::sql {
namespace {

using core::watch_kind;

constexpr const char* k_columns =
    "path, data, acl, kind, owner, czxid, mzxid, pzxid, ctime, mtime, version, creates, children";

// A watch's columns in the order of `k_columns`. The column of the owner contains the session that set the watch, and
// the column of the access list contains that session's identity. The number of children is NULL.
constexpr const char* k_watch_columns =
    "path, NULL, identity, kind, session, 0, 0, 0, 0, 0, 0, 0, NULL";
// The largest number of paths in one statement. MariaDB limits the length of statements.
constexpr std::size_t k_looked_at_once = 100;

std::string to_text(const local::acl& access) {
    if (access.read_only) return k_read_only;
    return access.owners.empty() ? std::string{} : *access.owners.begin();
}

local::identities to_identities(const std::string& text) {
    return text.empty() ? local::identities{} : local::identities{text};
}

void show_children(stored_node& n, std::int32_t creates, std::int32_t children,
                   std::int64_t number) {
    n.creates = creates;
    n.stat.num_children = children;
    n.stat.cversion = visible_cversion(creates, children);
    n.stat.pzxid = std::max(n.stat.pzxid, number);
}

std::vector<std::string> first_cells(result_rows&& found) {
    std::vector<std::string> cells;
    for (row& r : found.rows) cells.push_back(std::move(r.front()));
    return cells;
}

}  // namespace

// ---- reading ------------------------------------------------------------------------------------

std::vector<asked_statement> stored_nodes::ask_all(std::span<const std::string> paths) {
    static const std::string& k_one = base::never_destroyed(
        std::string{"SELECT "} + k_columns + " FROM turnstile_nodes WHERE path = ?1");
    if (paths.size() == 1) return {db_.ask(k_one, {paths.front()})};
    const std::string several = std::string{"SELECT "} + k_columns + " FROM " + db_.words().listed +
                                "turnstile_nodes WHERE path " + db_.words().among;
    std::vector<asked_statement> asked;
    for (; !paths.empty(); paths = paths.subspan(std::min(paths.size(), k_looked_at_once)))
        asked.push_back(
            db_.ask(several, {db_.list_of(paths.first(std::min(paths.size(), k_looked_at_once)))}));
    return asked;
}

std::map<std::string, stored_node> stored_nodes::take_all(std::span<const asked_statement> asked) {
    std::map<std::string, stored_node> found;
    for (const asked_statement each : asked)
        for (row& r : db_.answer(each).rows) {
            std::string path = std::move(r.front());
            found.emplace(std::move(path), node_in(std::move(r)));
        }
    return found;
}

std::optional<stored_node> stored_nodes::read(const std::string& path) {
    auto found = take_all(ask_all({&path, 1}));
    if (found.empty()) return std::nullopt;
    return std::move(found.begin()->second);
}

std::vector<std::string> stored_nodes::ephemerals_of(session_id session) {
    return paths_in(db_.answer(ask_ephemerals_of(session)));
}

asked_statement stored_nodes::ask_ephemerals_of(session_id session) {
    static const std::string& k_text = base::never_destroyed(std::string{
        "SELECT path FROM turnstile_nodes WHERE owner = ?1 AND owner <> 0 ORDER BY path"});
    return db_.ask(k_text, {session});
}

std::vector<std::string> stored_nodes::paths_in(result_rows&& rows) {
    return first_cells(std::move(rows));
}

std::vector<std::string> stored_nodes::abandoned_containers() {
    static const std::string& k_text = base::never_destroyed(std::string{
        "SELECT path FROM turnstile_nodes WHERE kind = ?1 AND children = 0 AND creates <> 0"});
    return first_cells(
        db_.run(k_text, {static_cast<std::int64_t>(local::tree_node_kind::container)}));
}

void stored_nodes::make_root() {
    struct system_node {
        const char* path;
        const char* parent;
        const char* acl;
    };
    static constexpr std::array<system_node, 4> k_all{
        {{"/", "", ""},
         {"/zookeeper", "/", ""},
         {"/zookeeper/config", "/zookeeper", k_read_only},
         {"/zookeeper/quota", "/zookeeper", ""}}};
    std::vector<std::string> paths;
    for (const system_node& each : k_all) paths.emplace_back(each.path);
    db_.lock(paths, lock_mode::exclusive);
    for (const system_node& each : k_all)
        db_.post(
            "INSERT INTO turnstile_nodes VALUES "
            "(?1, ?2, '', ?3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)" +
                db_.words().or_stays,
            {each.path, each.parent, each.acl});
    for (const std::string& path : paths)
        db_.post(
            "UPDATE turnstile_nodes SET children = (SELECT number FROM (SELECT count(*) AS number "
            "FROM turnstile_nodes WHERE parent = ?1) AS found) WHERE path = ?1",
            {path});
}

// ---- the reads that a change needs --------------------------------------------------------------

void stored_nodes::look(std::span<const std::string> paths, std::span<const std::string> prefixes) {
    const std::string& listed = db_.words().listed;
    const std::string& among = db_.words().among;
    const std::string both = std::string{"SELECT "} + k_columns + " FROM " + listed +
                             "turnstile_nodes WHERE path " + among + " UNION ALL SELECT " +
                             k_watch_columns + " FROM " + listed + "turnstile_watches WHERE path " +
                             among;
    static const std::string& k_range =
        base::never_destroyed(std::string{"SELECT "} + k_watch_columns +
                              " FROM turnstile_watches WHERE path > ?1 AND path < ?2");
    found_.clear();
    watches_.clear();
    asked_.clear();
    for (; !paths.empty(); paths = paths.subspan(std::min(paths.size(), k_looked_at_once)))
        asked_.push_back(
            db_.ask(both, {db_.list_of(paths.first(std::min(paths.size(), k_looked_at_once)))}));
    // ':' follows '9' in ASCII, so the range contains all paths in which a digit follows the prefix.
    for (const std::string& prefix : prefixes)
        asked_.push_back(db_.ask(k_range, {prefix, prefix + ':'}));
}

void stored_nodes::read_answers() {
    for (const asked_statement each : asked_) {
        for (row& r : db_.answer(each).rows) {
            std::string path = std::move(r.front());
            if (r.back().empty()) {  // the row is a watch
                watches_[{std::move(path), static_cast<watched_part>(to_integer(r[3]))}].push_back(
                    {to_integer(r[4]), std::move(r[2])});
            } else {
                found_.emplace(std::move(path), node_in(std::move(r)));
            }
        }
    }
}

const stored_node* stored_nodes::found(const std::string& path) const {
    const auto known = found_.find(path);
    return known == found_.end() ? nullptr : &known->second;
}

// ---- changes ------------------------------------------------------------------------------------

void stored_nodes::carry_out(const local::transaction& change, const moment& when, session_id by) {
    if (const auto* created = std::get_if<local::create_txn>(&change)) {
        create(*created, when);
    } else if (const auto* gone = std::get_if<local::remove_txn>(&change)) {
        const auto node = found_.find(gone->path);
        const session_id owner = node == found_.end() ? 0 : node->second.stat.ephemeral_owner;
        if (owner != 0 && owner != by) queue(owner, k_own_removed, gone->path);
        remove(gone->path, when);
    } else if (const auto* changed = std::get_if<local::set_txn>(&change)) {
        set(*changed, when);
    }
}

void stored_nodes::create(const local::create_txn& txn, const moment& when) {
    static const std::string& k_insert = base::never_destroyed(std::string{
        "INSERT INTO turnstile_nodes (path, parent, data, acl, kind, owner, czxid, mzxid, pzxid, "
        "ctime, mtime, version, creates, children) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8, ?8, 0, 0, 0)"});
    static const std::string& k_parent = base::never_destroyed(
        std::string{"UPDATE turnstile_nodes SET creates = ?1, children = children + 1, pzxid = ?2 "
                    "WHERE path = ?3"});
    const std::string parent = local::parent_of(txn.path);
    db_.post(db_.words().inserting + k_insert,
             {txn.path, parent, bytes{txn.data}, to_text(txn.access),
              static_cast<std::int64_t>(txn.kind), txn.owner, when.zxid, when.now_ms});
    db_.post(k_parent, {std::int64_t{txn.parent_creates}, when.zxid, parent});
    stored_node node;
    node.access = txn.access;
    node.kind = txn.kind;
    node.stat = {
        when.zxid, when.zxid, when.zxid, when.now_ms, when.now_ms,
        0,         0,         0,         txn.owner,   static_cast<std::int32_t>(txn.data.size()),
        0};
    found_.insert_or_assign(txn.path, std::move(node));
    if (const auto above = found_.find(parent); above != found_.end())
        show_children(above->second, txn.parent_creates, above->second.stat.num_children + 1,
                      when.zxid);
    fire(take_watches(watched_part::data, txn.path), watch_kind::created, txn.path, txn.access);
    fire_at_parent(parent);
}

void stored_nodes::set(const local::set_txn& txn, const moment& when) {
    static const std::string& k_update = base::never_destroyed(
        std::string{"UPDATE turnstile_nodes SET data = ?1, version = ?2, mzxid = ?3, mtime = ?4 "
                    "WHERE path = ?5"});
    db_.post(k_update,
             {bytes{txn.data}, std::int64_t{txn.version}, when.zxid, when.now_ms, txn.path});
    stored_node& changed = found_.at(txn.path);
    changed.stat.version = txn.version;
    changed.stat.mzxid = when.zxid;
    changed.stat.mtime = when.now_ms;
    changed.stat.data_length = static_cast<std::int32_t>(txn.data.size());
    fire(take_watches(watched_part::data, txn.path), watch_kind::changed, txn.path, changed.access);
}

// A session that has both a data watch and a child watch on the znode gets only one event for the removal.
void stored_nodes::remove(const std::string& path, const moment& when) {
    static const std::string& k_parent = base::never_destroyed(
        std::string{"UPDATE turnstile_nodes SET children = children - 1, "
                    "pzxid = CASE WHEN pzxid < ?1 THEN ?1 ELSE pzxid END WHERE path = ?2"});
    const std::string parent = local::parent_of(path);
    db_.post(db_.words().remove_node, {path});
    if (!db_.words().was_removed.empty()) db_.post(db_.words().was_removed, {});
    db_.post(k_parent, {when.zxid, parent});
    const auto gone = found_.extract(path);
    const local::acl access = gone.empty() ? local::acl{} : gone.mapped().access;
    if (const auto above = found_.find(parent); above != found_.end())
        show_children(above->second, above->second.creates, above->second.stat.num_children - 1,
                      when.zxid);
    const std::vector<set_watch> first = take_watches(watched_part::data, path);
    fire(first, watch_kind::deleted, path, access);
    std::vector<set_watch> others = take_watches(watched_part::children, path);
    std::erase_if(others, [&](const set_watch& other) {
        return std::any_of(first.begin(), first.end(),
                           [&](const set_watch& told) { return told.session == other.session; });
    });
    fire(others, watch_kind::deleted, path, access);
    fire_at_parent(parent);
}

// ---- watches ------------------------------------------------------------------------------------

// watch() and forget_watches() check the session's attachment (its latest connect) again after they have locked the
// path: the session may have attached again since the transaction's first check.
void stored_nodes::watch(watched_part kind, const std::string& path,
                         const attached_session& session, const local::identities& client) {
    static const std::string& k_text = base::never_destroyed(std::string{
        "INSERT INTO turnstile_watches (path, kind, session, identity) "
        "SELECT ?1, ?2, id, ?4 FROM turnstile_sessions WHERE id = ?3 AND attachment = ?5"});
    db_.post(k_text + db_.words().or_stays,
             {path, static_cast<std::int64_t>(kind), session.id,
              client.empty() ? std::string{} : *client.begin(), session.attachment});
}

void stored_nodes::forget_watches(const std::string& path, const attached_session& session) {
    static const std::string& k_text = base::never_destroyed(
        std::string{"DELETE FROM turnstile_watches WHERE path = ?1 AND session = ?2 AND EXISTS "
                    "(SELECT 1 FROM turnstile_sessions WHERE id = ?2 AND attachment = ?3)"});
    db_.post(k_text, {path, session.id, session.attachment});
}

std::vector<std::string> stored_nodes::watched_by(session_id session) {
    static const std::string& k_text = base::never_destroyed(
        std::string{"SELECT DISTINCT path FROM turnstile_watches WHERE session = ?1"});
    return first_cells(db_.run(k_text, {session}));
}

asked_statement stored_nodes::ask_watches_of(session_id session) {
    static const std::string& k_text = base::never_destroyed(
        std::string{"SELECT path, kind FROM turnstile_watches WHERE session = ?1"});
    return db_.ask(k_text, {session});
}

local::client_watch_list stored_nodes::watches_in(result_rows&& rows) {
    local::client_watch_list list;
    for (row& r : rows.rows) {
        const auto kind = static_cast<watched_part>(to_integer(r[1]));
        (kind == watched_part::children ? list.children : list.data).insert(std::move(r[0]));
    }
    return list;
}

std::vector<stored_nodes::set_watch> stored_nodes::take_watches(watched_part kind,
                                                                const std::string& path) {
    static const std::string& k_text = base::never_destroyed(
        std::string{"DELETE FROM turnstile_watches WHERE path = ?1 AND kind = ?2"});
    auto taken = watches_.extract({path, kind});
    if (taken.empty()) return {};
    db_.post(k_text, {path, static_cast<std::int64_t>(kind)});
    return std::move(taken.mapped());
}

void stored_nodes::queue(session_id session, std::int64_t kind, const std::string& path) {
    static const std::string& k_text = base::never_destroyed(std::string{
        "INSERT INTO turnstile_events (session, kind, path, nonce) VALUES (?1, ?2, ?3, ?4)"});
    queued_.push_back(static_cast<std::int64_t>(chance_() >> 1U));
    db_.post(k_text, {session, kind, path, queued_.back()});
}

// A session without the right to read the znode gets no event, although its watch is removed.
void stored_nodes::fire(const std::vector<set_watch>& watches, watch_kind kind,
                        const std::string& path, const local::acl& access) {
    for (const set_watch& watch : watches) {
        if (!access.allows(local::acl::right::read, to_identities(watch.identity))) continue;
        queue(watch.session, static_cast<std::int64_t>(kind), path);
        told_.insert(watch.session);
    }
}

void stored_nodes::fire_at_parent(const std::string& parent) {
    const auto watchers = take_watches(watched_part::children, parent);
    if (watchers.empty()) return;
    const auto above = found_.find(parent);
    fire(watchers, watch_kind::children, parent,
         above == found_.end() ? local::acl{} : above->second.access);
}

}  // namespace turnstile::sql
