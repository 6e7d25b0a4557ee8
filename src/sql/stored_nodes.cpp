// SPDX-License-Identifier: Apache-2.0
#include "sql/stored_nodes.hpp"

#include <utility>

#include "local/znode_path.hpp"

namespace turnstile::sql {
namespace {

using core::watch_kind;

constexpr const char* k_columns =
    "path, data, acl, kind, owner, czxid, mzxid, pzxid, ctime, mtime, version, creates, children";

// An access list in its column: nothing for everybody, or the one identity that may.
constexpr const char* k_read_only = "*";

std::string to_text(const local::acl& access) {
    if (access.read_only) return k_read_only;
    return access.owners.empty() ? std::string{} : *access.owners.begin();
}

local::acl to_acl(const std::string& text) {
    if (text == k_read_only) return {true, {}};
    return text.empty() ? local::acl{} : local::acl{false, {text}};
}

local::identities to_identities(const std::string& text) {
    return text.empty() ? local::identities{} : local::identities{text};
}

std::int32_t to_int32(const std::string& cell) {
    return static_cast<std::int32_t>(to_integer(cell));
}

// As ZooKeeper's servers show it: changes of the list, see local/node.hpp.
std::int32_t visible_cversion(std::int32_t creates, std::int32_t children) noexcept {
    const auto doubled = static_cast<std::uint32_t>(creates) * 2U;
    return static_cast<std::int32_t>(doubled - static_cast<std::uint32_t>(children));
}

stored_node to_node(row&& cells) {
    stored_node n;
    n.data = std::move(cells[1]);
    n.access = to_acl(cells[2]);
    n.kind = static_cast<local::node_kind>(to_integer(cells[3]));
    n.creates = to_int32(cells[11]);
    n.stat.ephemeral_owner = to_integer(cells[4]);
    n.stat.czxid = to_integer(cells[5]);
    n.stat.mzxid = to_integer(cells[6]);
    n.stat.pzxid = to_integer(cells[7]);
    n.stat.ctime = to_integer(cells[8]);
    n.stat.mtime = to_integer(cells[9]);
    n.stat.version = to_int32(cells[10]);
    n.stat.num_children = to_int32(cells[12]);
    n.stat.cversion = visible_cversion(n.creates, n.stat.num_children);
    n.stat.data_length = static_cast<std::int32_t>(n.data.size());
    return n;
}

std::vector<std::string> first_cells(result_rows&& found) {
    std::vector<std::string> cells;
    for (row& r : found.rows) cells.push_back(std::move(r.front()));
    return cells;
}

}  // namespace

// ---- reading ------------------------------------------------------------------------------------

std::optional<stored_node> stored_nodes::read(const std::string& path) {
    static const std::string k_text =
        std::string{"SELECT "} + k_columns + " FROM turnstile_nodes WHERE path = ?1";
    result_rows found = db_.run(k_text, {path});
    if (found.rows.empty()) return std::nullopt;
    return to_node(std::move(found.rows.front()));
}

std::map<std::string, stored_node> stored_nodes::read(std::span<const std::string> paths) {
    const std::string text = std::string{"SELECT "} + k_columns +
                             " FROM turnstile_nodes WHERE path " + db_.words().among;
    std::map<std::string, stored_node> nodes;
    for (row& r : db_.run(text, {db_.list_of(paths)}).rows) {
        std::string path = std::move(r.front());
        nodes.emplace(std::move(path), to_node(std::move(r)));
    }
    return nodes;
}

std::vector<child> stored_nodes::children_of(const std::string& path) {
    std::vector<child> children;
    static const std::string k_text = "SELECT path, owner FROM turnstile_nodes WHERE parent = ?1";
    for (const row& r : db_.run(k_text, {path}).rows)
        children.push_back({std::string{local::name_of(r[0])}, to_integer(r[1])});
    return children;
}

std::vector<std::string> stored_nodes::ephemerals_of(session_id session) {
    static const std::string k_text =
        "SELECT path FROM turnstile_nodes WHERE owner = ?1 AND owner <> 0 ORDER BY path";
    return first_cells(db_.run(k_text, {session}));
}

std::vector<std::string> stored_nodes::abandoned_containers() {
    static const std::string k_text =
        "SELECT path FROM turnstile_nodes WHERE kind = ?1 AND children = 0 AND creates <> 0";
    return first_cells(db_.run(k_text, {static_cast<std::int64_t>(local::node_kind::container)}));
}

local::acl stored_nodes::access_of(const std::string& path) {
    static const std::string k_text = "SELECT acl FROM turnstile_nodes WHERE path = ?1";
    const result_rows found = db_.run(k_text, {path});
    return found.rows.empty() ? local::acl{} : to_acl(found.rows.front().front());
}

// ---- changing -----------------------------------------------------------------------------------

void stored_nodes::carry_out(const local::transaction& change, const moment& when) {
    if (const auto* created = std::get_if<local::create_txn>(&change)) {
        create(*created, when);
    } else if (const auto* gone = std::get_if<local::remove_txn>(&change)) {
        remove(gone->path, when);
    } else if (const auto* changed = std::get_if<local::set_txn>(&change)) {
        set(*changed, when);
    }
}

void stored_nodes::create(const local::create_txn& txn, const moment& when) {
    static const std::string k_insert =
        "INSERT INTO turnstile_nodes (path, parent, data, acl, kind, owner, czxid, mzxid, pzxid, "
        "ctime, mtime, version, creates, children) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7, ?8, ?8, 0, 0, 0)";
    static const std::string k_parent =
        "UPDATE turnstile_nodes SET creates = ?1, children = children + 1, pzxid = ?2 "
        "WHERE path = ?3";
    const std::string parent = local::parent_of(txn.path);
    db_.run(k_insert, {txn.path, parent, bytes{txn.data}, to_text(txn.access),
                       static_cast<std::int64_t>(txn.kind), txn.owner, when.number, when.now_ms});
    db_.run(k_parent, {std::int64_t{txn.parent_creates}, when.number, parent});
    fire(take_watches(watch_table::data, txn.path), watch_kind::created, txn.path, txn.access);
    const result_rows watchers = take_watches(watch_table::children, parent);
    if (!watchers.rows.empty()) fire(watchers, watch_kind::children, parent, access_of(parent));
}

void stored_nodes::set(const local::set_txn& txn, const moment& when) {
    static const std::string k_update =
        "UPDATE turnstile_nodes SET data = ?1, version = ?2, mzxid = ?3, mtime = ?4 "
        "WHERE path = ?5";
    db_.run(k_update,
            {bytes{txn.data}, std::int64_t{txn.version}, when.number, when.now_ms, txn.path});
    const result_rows watchers = take_watches(watch_table::data, txn.path);
    if (!watchers.rows.empty()) fire(watchers, watch_kind::changed, txn.path, access_of(txn.path));
}

// A session with both a data watch and a child watch on the node is told once of its removal.
void stored_nodes::remove(const std::string& path, const moment& when) {
    static const std::string k_delete = "DELETE FROM turnstile_nodes WHERE path = ?1";
    static const std::string k_parent =
        "UPDATE turnstile_nodes SET children = children - 1, "
        "pzxid = CASE WHEN pzxid < ?1 THEN ?1 ELSE pzxid END WHERE path = ?2";
    const std::string claim =
        "SELECT acl FROM turnstile_nodes WHERE path = ?1" + db_.words().claim_node;
    const result_rows claimed = db_.run(claim, {path});
    const local::acl access =
        claimed.rows.empty() ? local::acl{} : to_acl(claimed.rows.front().front());
    const std::string parent = local::parent_of(path);
    db_.run(k_delete, {path});
    db_.run(k_parent, {when.number, parent});
    const result_rows first = take_watches(watch_table::data, path);
    fire(first, watch_kind::deleted, path, access);
    result_rows others = take_watches(watch_table::children, path);
    std::erase_if(others.rows, [&](const row& other) {
        for (const row& told : first.rows)
            if (told[0] == other[0]) return true;
        return false;
    });
    fire(others, watch_kind::deleted, path, access);
    const result_rows watchers = take_watches(watch_table::children, parent);
    if (!watchers.rows.empty()) fire(watchers, watch_kind::children, parent, access_of(parent));
}

// ---- watches ------------------------------------------------------------------------------------

void stored_nodes::watch(watch_table kind, const std::string& path, session_id session,
                         const local::identities& client) {
    static const std::string k_text =
        "INSERT INTO turnstile_watches (path, kind, session, identity) VALUES (?1, ?2, ?3, ?4) "
        "ON CONFLICT DO NOTHING";
    db_.run(k_text, {path, static_cast<std::int64_t>(kind), session,
                     client.empty() ? std::string{} : *client.begin()});
}

void stored_nodes::forget_watches(const std::string& path, session_id session) {
    static const std::string k_text =
        "DELETE FROM turnstile_watches WHERE path = ?1 AND session = ?2";
    db_.run(k_text, {path, session});
}

std::vector<std::string> stored_nodes::watched_by(session_id session) {
    static const std::string k_text =
        "SELECT DISTINCT path FROM turnstile_watches WHERE session = ?1";
    return first_cells(db_.run(k_text, {session}));
}

result_rows stored_nodes::take_watches(watch_table kind, const std::string& path) {
    static const std::string k_text =
        "DELETE FROM turnstile_watches WHERE path = ?1 AND kind = ?2 RETURNING session, identity";
    return db_.run(k_text, {path, static_cast<std::int64_t>(kind)});
}

// A session that may not read the node hears nothing, and has used up the watch all the same.
void stored_nodes::fire(const result_rows& watches, watch_kind kind, const std::string& path,
                        const local::acl& access) {
    static const std::string k_text =
        "INSERT INTO turnstile_events (session, kind, path) VALUES (?1, ?2, ?3)";
    for (const row& watch : watches.rows) {
        if (!access.allows(local::acl::right::read, to_identities(watch[1]))) continue;
        const session_id session = to_integer(watch[0]);
        db_.run(k_text, {session, static_cast<std::int64_t>(kind), path});
        told_.insert(session);
    }
}

}  // namespace turnstile::sql
