// SPDX-License-Identifier: Apache-2.0
#include "sql/store.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/random.hpp"
#include "local/znode_path.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

constexpr int k_most_attempts = 100;
// Selects this session's row if the row has this attachment (connect to the database) and has not expired. The caller
// appends the current time.
constexpr const char* k_own = "id = ?1 AND attachment = ?2 AND deadline > ";
// Selects this session's row when the client connects again. The row's attachment number is larger than the client's
// number if the answer to the latest attach was lost, and smaller after a restore of older data.
constexpr const char* k_own_lately = "id = ?1 AND attachment BETWEEN ?2 AND ?3 AND deadline > ";

std::int64_t first_attachment() {
    auto chance = base::random::from_system();
    return k_most_attachments + static_cast<std::int64_t>(chance() >> 2U);
}

// Provides the znodes that a request names, as the store has read them. If `trusts_sequences`, the store does not check
// whether a znode with the name of a sequential create exists. If it exists, the insertion fails, and the store repeats
// the transaction without `trusts_sequences`.
class looked_at final : public local::node_source {
public:
    looked_at(stored_nodes& nodes, const touched_paths& touched, bool trusts_sequences)
        : nodes_{nodes},
          known_{touched.list()},
          prefixes_{touched.prefixes()},
          trusts_sequences_{trusts_sequences} {}

    [[nodiscard]] std::optional<local::node_record> find(const std::string& path) const override {
        if (const stored_node* known = nodes_.found(path)) return record_of(*known);
        if (std::find(known_.begin(), known_.end(), path) != known_.end()) return std::nullopt;
        if (!local::server_accepts_path(path)) return std::nullopt;
        if (trusts_sequences_ && is_of_a_sequence(path)) return std::nullopt;
        const std::optional<stored_node> n = nodes_.read(path);
        if (!n) return std::nullopt;
        return record_of(*n);
    }

private:
    [[nodiscard]] bool is_of_a_sequence(const std::string& path) const {
        return std::any_of(prefixes_.begin(), prefixes_.end(), [&](const std::string& prefix) {
            return path.size() > prefix.size() && path.starts_with(prefix) &&
                   path.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
        });
    }
    static local::node_record record_of(const stored_node& n) {
        return {n.stat.version, n.creates, static_cast<std::size_t>(n.stat.num_children),
                n.kind == local::tree_node_kind::ephemeral, n.access};
    }

    stored_nodes& nodes_;
    const std::vector<std::string> known_;
    const std::vector<std::string> prefixes_;
    const bool trusts_sequences_;
};

}  // namespace

store::store(database& db, store_settings settings, stored_session own)
    : db_{db}, settings_{std::move(settings)}, nodes_{db}, own_{own}, news_{db} {}

// ---- transactions -------------------------------------------------------------------------------

void store::transact(access how, const body& work, const body& after) {
    for (attempt_ = 1;; ++attempt_) {
        committing_ = false;
        news_.begin();
        static_cast<void>(nodes_.take_told());
        static_cast<void>(nodes_.take_queued());
        try {
            db_.begin(how);
            work();
            std::set<session_id> told = nodes_.take_told();
            if (news_.is_asked())
                told.erase(own_.id);  // this transaction has fetched the session's events
            committing_ = true;
            db_.commit(std::vector<session_id>{told.begin(), told.end()});
            committing_ = false;
            break;
        } catch (const database_error& e) {
            if (e.kind() == failure::lost) throw;
            committing_ = false;
            // If the rollback has lost the connection, throws `lost`, because `retry` and `row_held` promise that the
            // caller can continue on the connection.
            const bool goes_on = e.kind() == failure::row_held || e.kind() == failure::retry;
            if (!db_.rollback() && goes_on) throw database_error{failure::lost, e.what()};
            if (e.kind() != failure::retry || attempt_ == k_most_attempts) throw;
        }
    }
    after();
    news_.committed();
}

asked_statement store::ask_for_session(access how) {
    const std::string text = "SELECT id FROM turnstile_sessions WHERE id = ?1 AND attachment = ?2" +
                             (how == access::write ? db_.words().keep_session : std::string{});
    return db_.ask(text, {own_.id, own_.attachment});
}

// ---- the session --------------------------------------------------------------------------------

void store::open() {
    own_.attachment = first_attachment();
    news_.forget();
    transact(access::write, [this] {
        const auto before = boottime_clock::now();
        const result_rows wall = db_.run("SELECT " + db_.words().wall);
        const std::chrono::milliseconds shown{to_integer(wall.rows.front().front())};
        clock_ = core::clock_reading_of(shown, before, boottime_clock::now());
        const std::int64_t number = db_.next_number();
        db_.announce(number);
        const std::string text =
            "INSERT INTO turnstile_sessions (id, attachment, lasts, deadline, changes) "
            "VALUES (?1, ?2, ?3, " +
            db_.words().now + " + ?3, 0)";
        const auto lasts = std::chrono::microseconds{settings_.timeout};
        db_.run(text, {number, own_.attachment, std::int64_t{lasts.count()}});
        own_.id = number;
    });
}

// Attaches the session again. To lock the session's row, this transaction waits for a write that an earlier attachment
// (connect to the database) has in progress. Later writes of that attachment have no effect. On PostgreSQL, resume()
// does not wait for watched reads and removals of watches, which lock the row only with FOR KEY SHARE. These requests
// check the attachment again after they have locked their paths.
//
// Ends the session if the database was restored from older data. There are two signs. Either the row's counter of
// changes is smaller than the client's counter, or a znode exists although another session had removed it. A row whose
// attachment number is far from this client's number belongs to another session with the same id.
bool store::resume() {
    std::int64_t attachment = 0;
    std::int64_t changes = 0;
    bool older = false;
    transact(access::write, [&] {
        const std::string& now = db_.words().now;
        const asked_statement moved = db_.ask_to_update_session(
            "attachment = attachment + 1, deadline = " + now + " + lasts", k_own_lately + now,
            "attachment",
            {own_.id, own_.attachment - k_most_attachments, own_.attachment + k_most_attachments});
        const asked_statement kept =
            db_.ask("SELECT changes FROM turnstile_sessions WHERE id = ?1", {own_.id});
        const result_rows found = db_.answer(moved);
        attachment = found.rows.empty() ? 0 : to_integer(found.rows.front().front());
        if (attachment == 0) return;
        changes = to_integer(db_.answer(kept).rows.front().front());
        older = news_.is_older(changes, [this] { return nodes_.ephemerals_of(own_.id); });
        if (older) db_.post("UPDATE turnstile_sessions SET deadline = 0 WHERE id = ?1", {own_.id});
    });
    if (attachment == 0) return false;
    own_.attachment = attachment;
    if (older) return false;
    news_.count(changes);
    return true;
}

heard store::hear(touch how, watch_list standing) {
    heard out;
    std::optional<asked_statement> moved;
    asked_statement watched{};
    asked_statement owned{};
    const std::string& now = db_.words().now;
    const auto ask = [&] {
        out = {};
        moved.reset();
        if (how == touch::yes) {
            moved = db_.ask_to_update_session("deadline = " + now + " + lasts", k_own + now, "1",
                                              {own_.id, own_.attachment});
            news_.drop_fetched(own_.id);
        }
        if (standing == watch_list::asked) {
            watched = nodes_.ask_watches_of(own_.id);
            owned = nodes_.ask_ephemerals_of(own_.id);
        }
        news_.ask(own_.id, fetched_news::ends::asked);
    };
    transact(how == touch::yes ? access::write : access::read, ask, [&] {
        if (moved) out.expired = db_.answer(*moved).rows.empty();
        news found = news_.take();
        out.events = std::move(found.events);
        out.next_end = found.next_end;
        if (standing == watch_list::not_asked) return;
        out.watches = stored_nodes::watches_in(db_.answer(watched));
        // An event may report the removal of a znode that the session owns now: a later request, whose reply was lost,
        // has created the znode again.
        for (const std::string& path : stored_nodes::paths_in(db_.answer(owned)))
            news_.exists(path);
    });
    return out;
}

std::vector<queued_event> store::forget_watches(std::span<const std::string> paths) {
    std::vector<queued_event> events;
    const auto forget = [&] {
        if (db_.answer(ask_for_session(access::write)).rows.empty()) return;
        db_.lock(paths, lock_mode::exclusive);
        for (const std::string& path : paths)
            nodes_.forget_watches(path, {own_.id, own_.attachment});
        news_.ask(own_.id, fetched_news::ends::unasked);
    };
    transact(access::write, forget, [&] { events = news_.take().events; });
    return events;
}

close_outcome store::close() {
    const auto why = own_.orphaned ? end_if::orphaned : end_if::own;
    try {
        return end_session(own_.id, why) ? close_outcome::ended : close_outcome::absent;
    } catch (const database_error& e) {
        if (e.kind() != failure::row_held) throw;
        give_up();
        return close_outcome::held;
    }
}

void store::give_up() {
    transact(access::write, [this] {
        db_.run("UPDATE turnstile_sessions SET deadline = 0 WHERE id = ?1 AND attachment = ?2",
                {own_.id, own_.attachment});
    });
}

// ---- requests -----------------------------------------------------------------------------------

carried_out store::apply(operations all) {
    return core::is_write(*all.front()) ? write(all) : read(all);
}

// First sends all reads whose results the writes need, and waits for their answers once. Then sends the changes and the
// commit. Each write gets a separate transaction number, so that no two znodes of one parent have the same number.
carried_out store::write(operations all) {
    carried_out out;
    touched_paths touching;
    std::size_t writes = 0;
    bool changes = false;
    for (const core::operation* const op : all) {
        if (!core::is_write(*op)) continue;
        touching.add_request(*op);
        changes = changes || core::changes_nodes(*op);
        ++writes;
    }
    const std::vector<std::string> paths = touching.list();
    const phrases& words = db_.words();
    const std::string moves =
        "deadline = " + words.now + " + lasts" + (changes ? ", changes = changes + 1" : "");
    const auto change = [&] {
        out = {};
        const auto asked = db_.ask_to_start(moves, k_own + words.now, words.wall,
                                            {own_.id, own_.attachment}, paths);
        std::vector<asked_statement> numbers;
        while (numbers.size() + 1 < writes) numbers.push_back(db_.ask_number());
        news_.drop_fetched(own_.id);
        nodes_.look(paths, touching.prefixes());
        const auto started = db_.started(asked);
        if (!started) {
            out.expired = true;
            out.replies.assign(all.size(), core::answered(server_error::session_expired));
            return;
        }
        nodes_.read_answers();
        std::vector<moment> moments{{started->number, started->session}};
        for (const asked_statement each : numbers)
            moments.push_back(
                {to_integer(db_.answer(each).rows.front().front()), started->session});
        const std::vector<std::string> folders = write_each(all, touching, moments, out);
        news_.ask(own_.id,
                  folders.empty() ? fetched_news::ends::unasked : fetched_news::ends::asked,
                  folders);
    };
    transact(access::write, change, [&] {
        const news found = news_.take();
        out.events = found.events;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (const auto* const list = std::get_if<core::children_op>(all[i]);
                list && !out.expired)
                finish_listing(found, list->path, out.replies[i]);
    });
    return out;
}

std::vector<std::string> store::write_each(operations all, const touched_paths& touching,
                                           std::span<const moment> moments, carried_out& out) {
    const looked_at before{nodes_, touching, attempt_ == 1};
    std::set<std::string> folders;
    for (const core::operation* const op : all) {
        core::reply& reply = *out.replies.emplace_back(core::answered(server_error::ok));
        if (const auto* const list = std::get_if<core::children_op>(op)) {
            reply = begin_listing(*list);
            if (reply.error == server_error::ok) folders.insert(list->path);
            continue;
        }
        local::preparation checks{before, own_.id, settings_.client};
        write_parts(checks, *op, moments.front(), reply);
        moments = moments.subspan(1);
        for (const std::int64_t event : nodes_.take_queued())
            news_.fired(event, out.replies.size() - 1);
    }
    return {folders.begin(), folders.end()};
}

void store::write_one(local::preparation& checks, const core::operation& op, const moment& when,
                      core::reply& reply) {
    local::prepared p = std::visit(
        [&](const auto& request) -> local::prepared {
            if constexpr (requires { checks.prepare(request); }) {
                return checks.prepare(request);
            } else {
                return {server_error::bad_arguments, {}};
            }
        },
        op);
    reply.error = p.error;
    if (p.error != server_error::ok) return;
    nodes_.carry_out(p.changes, when, own_.id);
    if (const auto* created = std::get_if<local::create_txn>(&p.changes)) {
        reply.path = created->path;
        reply.stat = nodes_.found(created->path)->stat;
    } else if (const auto* changed = std::get_if<local::set_txn>(&p.changes)) {
        reply.stat = nodes_.found(changed->path)->stat;
    }
}

// Executes a multi (a request that consists of several operations) only if each part is valid. If a part fails, the
// parts before it are answered `ok` although nothing changed, as ZooKeeper does. The parts after it are answered
// `rolled_back`, because they were not checked.
void store::write_parts(local::preparation& checks, const core::operation& op, const moment& when,
                        core::reply& reply) {
    const auto* const multi = std::get_if<core::multi_op>(&op);
    if (multi == nullptr) return write_one(checks, op, when, reply);
    std::vector<local::transaction> all;
    for (const core::multi_part& part : multi->parts) {
        if (reply.error != server_error::ok) {
            reply.parts.push_back(server_error::rolled_back);
            continue;
        }
        local::prepared p =
            std::visit([&](const auto& request) { return checks.prepare(request); }, part);
        reply.error = p.error;
        reply.parts.push_back(p.error);
        all.push_back(std::move(p.changes));
    }
    reply.paths.resize(multi->parts.size());
    if (reply.error != server_error::ok) return;
    reply.versions.assign(multi->parts.size(), core::k_any_version);
    for (std::size_t i = 0; i < all.size(); ++i) {
        nodes_.carry_out(all[i], when, own_.id);
        if (const auto* created = std::get_if<local::create_txn>(&all[i])) {
            reply.paths[i] = created->path;
            reply.versions[i] = 0;
        } else if (const auto* changed = std::get_if<local::set_txn>(&all[i])) {
            reply.versions[i] = changed->version;
            reply.stat = nodes_.found(changed->path)->stat;
        }
    }
}

// Makes the reply to a list (a read of a folder's children); finish_listing() adds the children. The folder's znode is
// already read, because a write of this transaction changes the folder.
core::reply store::begin_listing(const core::children_op& list) const {
    const stored_node* const folder = nodes_.found(list.path);
    if (folder == nullptr) return core::answered(server_error::no_node);
    if (!folder->access.allows(local::acl::right::read, settings_.client))
        return core::answered(server_error::no_auth);
    core::reply listing = core::answered(server_error::ok);
    listing.stat = folder->stat;
    return listing;
}

// Adds the children to the reply. A list must not show znodes of an ended session. If there is such a session, drops
// the reply, and the worker reads the list later in a separate transaction.
void store::finish_listing(const news& found, const std::string& folder,
                           std::optional<core::reply>& list) const {
    if (list->error != server_error::ok) return;
    const auto children = found.children.find(folder);
    std::set<session_id> owners;
    if (children != found.children.end())
        for (const child& c : children->second) owners.insert(c.owner);
    const bool due = found.next_end && found.next_end->count() <= 0;
    if (due || !all_live(owners)) return list.reset();
    if (children == found.children.end()) return;
    for (const child& c : children->second) list->children.push_back(c.name);
}

bool store::all_live(const std::set<session_id>& owners) const {
    return std::none_of(owners.begin(), owners.end(), [this](session_id owner) {
        return owner != own_.id && owner != 0 && db_.is_gone(owner);
    });
}

}  // namespace turnstile::sql
