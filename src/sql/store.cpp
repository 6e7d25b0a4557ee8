// SPDX-License-Identifier: Apache-2.0
#include "sql/store.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "local/znode_path.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

constexpr int k_most_attempts = 100;

// The nodes that a request names, read at once; what a sequential create comes to is looked up.
class read_nodes final : public local::node_source {
public:
    read_nodes(stored_nodes& nodes, std::span<const std::string> paths)
        : nodes_{nodes}, known_{paths.begin(), paths.end()}, found_{nodes.read(paths)} {}

    [[nodiscard]] std::optional<local::node_record> find(const std::string& path) const override {
        if (const auto known = found_.find(path); known != found_.end())
            return record_of(known->second);
        if (known_.contains(path) || !local::server_accepts_path(path)) return std::nullopt;
        const std::optional<stored_node> n = nodes_.read(path);
        if (!n) return std::nullopt;
        return record_of(*n);
    }

private:
    static local::node_record record_of(const stored_node& n) {
        return {n.stat.version, n.creates, static_cast<std::size_t>(n.stat.num_children),
                n.kind == local::node_kind::ephemeral, n.access};
    }

    stored_nodes& nodes_;
    std::set<std::string> known_;
    std::map<std::string, stored_node> found_;
};

}  // namespace

store::store(database& db, store_settings settings)
    : db_{db}, settings_{std::move(settings)}, nodes_{db} {}

// ---- transactions -------------------------------------------------------------------------------

void store::transact(access how, const body& work) {
    for (int attempt = 1;; ++attempt) {
        committing_ = false;
        fetched_.clear();
        dropped_.clear();
        fetches_ = false;
        static_cast<void>(nodes_.take_told());
        try {
            db_.begin(how);
            work();
            std::set<session_id> told = nodes_.take_told();
            if (fetches_) told.erase(id_);  // it has its events
            if (!told.empty()) db_.ring(std::vector<session_id>{told.begin(), told.end()});
            committing_ = true;
            db_.commit();
            committing_ = false;
            break;
        } catch (const database_error& e) {
            if (e.kind() == failure::lost) throw;
            committing_ = false;
            db_.rollback();
            if (e.kind() != failure::retry || attempt == k_most_attempts) throw;
        }
    }
    for (const std::int64_t id : dropped_) delivered_.erase(id);
    delivered_.insert(fetched_.begin(), fetched_.end());
}

// The session lives, and its deadline moves; the time of day in milliseconds. None: it is over.
std::optional<std::int64_t> store::touch_session() {
    const std::string& now = db_.words().now;
    const std::string text = "UPDATE turnstile_sessions SET deadline = " + now +
                             " + lasts WHERE id = ?1 AND attachment = ?2 AND deadline > " + now +
                             " RETURNING " + db_.words().wall;
    const result_rows found = db_.run(text, {id_, attachment_});
    if (found.rows.empty()) return std::nullopt;
    return to_integer(found.rows.front().front());
}

// With access::write the session's row stays until the transaction ends.
bool store::keep_session(access how) {
    const std::string text = "SELECT id FROM turnstile_sessions WHERE id = ?1" +
                             (how == access::write ? db_.words().keep_session : std::string{});
    return !db_.run(text, {id_}).rows.empty();
}

// Behind everything that the transaction reads: so an event comes before the reply that shows its effect.
void store::fetch_events(std::vector<queued_event>& to) {
    static const std::string k_text =
        "SELECT id, kind, path FROM turnstile_events WHERE session = ?1 ORDER BY id";
    fetches_ = true;
    for (row& r : db_.run(k_text, {id_}).rows) {
        const std::int64_t event = to_integer(r[0]);
        if (delivered_.contains(event)) continue;
        fetched_.push_back(event);
        to.push_back({event, static_cast<core::watch_kind>(to_integer(r[1])), std::move(r[2])});
    }
}

// Rows of events that this process has seen.
void store::drop_fetched() {
    if (delivered_.empty()) return;
    dropped_.assign(delivered_.begin(), delivered_.end());
    db_.run("DELETE FROM turnstile_events WHERE id " + db_.words().among_numbers,
            {db_.list_of(std::span<const std::int64_t>{dropped_})});
}

std::optional<std::chrono::microseconds> store::until_next_end() {
    const result_rows next = db_.run(
        "SELECT min(deadline) - " + db_.words().now + " FROM turnstile_sessions WHERE id <> ?1",
        {id_});
    if (next.rows.empty() || next.rows.front().front().empty()) return std::nullopt;
    return std::chrono::microseconds{to_integer(next.rows.front().front())};
}

// ---- the session --------------------------------------------------------------------------------

void store::open() {
    transact(access::write, [this] {
        const std::int64_t number = db_.next_number();
        db_.announce(number);
        const std::string text =
            "INSERT INTO turnstile_sessions (id, attachment, lasts, deadline) "
            "VALUES (?1, 1, ?2, " +
            db_.words().now + " + ?2)";
        const auto lasts = std::chrono::microseconds{settings_.timeout};
        db_.run(text, {number, std::int64_t{lasts.count()}});
        id_ = number;
    });
    attachment_ = 1;
}

// Waits for a transaction of an earlier attachment that still has the row: afterwards it is carried out or not, and
// no other one will be.
bool store::resume() {
    std::int64_t attachment = 0;
    transact(access::write, [&] {
        const std::string& now = db_.words().now;
        const result_rows found =
            db_.run("UPDATE turnstile_sessions SET attachment = attachment + 1, deadline = " + now +
                        " + lasts WHERE id = ?1 AND deadline > " + now + " RETURNING attachment",
                    {id_});
        attachment = found.rows.empty() ? 0 : to_integer(found.rows.front().front());
    });
    if (attachment == 0) return false;
    attachment_ = attachment;
    return true;
}

heard store::hear(touch how) {
    heard out;
    transact(how == touch::yes ? access::write : access::read, [&] {
        out = {};
        if (how == touch::yes) {
            out.expired = !touch_session();
            if (!out.expired) drop_fetched();
        }
        fetch_events(out.events);
        out.next_end = until_next_end();
    });
    return out;
}

std::vector<queued_event> store::forget_watches(const std::string& path) {
    std::vector<queued_event> events;
    transact(access::write, [&] {
        events.clear();
        if (!keep_session(access::write)) return;
        const std::vector<std::string> paths{path};
        db_.lock(paths, lock_mode::exclusive);
        nodes_.forget_watches(path, id_);
        fetch_events(events);
    });
    return events;
}

bool store::close() {
    try {
        return end_session(id_, end_if::own);
    } catch (const database_error& e) {
        if (e.kind() != failure::row_held) throw;
        give_up();
        return false;
    }
}

void store::give_up() {
    transact(access::write, [this] {
        db_.run("UPDATE turnstile_sessions SET deadline = 0 WHERE id = ?1 AND attachment = ?2",
                {id_, attachment_});
    });
}

// ---- requests -----------------------------------------------------------------------------------

carried_out store::apply(const core::operation& op) {
    return core::is_write(op) ? write(op) : read(op);
}

carried_out store::write(const core::operation& op) {
    carried_out out;
    const std::vector<std::string> paths = touched_paths{op}.list();
    transact(access::write, [&] {
        out = {core::answered(server_error::ok), {}, false, {}};
        const std::optional<std::int64_t> now_ms = touch_session();
        if (!now_ms) {
            out = {core::answered(server_error::session_expired), {}, true, {}};
            return;
        }
        drop_fetched();
        db_.lock(paths, lock_mode::exclusive);
        const moment when{db_.next_number(), *now_ms};
        const read_nodes before{nodes_, paths};
        local::preparation checks{before, id_, settings_.client};
        write_parts(checks, op, when, out.reply);
        fetch_events(out.events);
    });
    return out;
}

// A multi is carried out only if each part of it may be. The parts before the one that failed are answered `ok` though
// nothing was done; those behind it were not looked at.
void store::write_parts(local::preparation& checks, const core::operation& op, const moment& when,
                        core::reply& reply) {
    const auto* const multi = std::get_if<core::multi_op>(&op);
    if (multi == nullptr) {
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
        nodes_.carry_out(p.changes, when);
        if (const auto* created = std::get_if<local::create_txn>(&p.changes)) {
            reply.path = created->path;
            reply.stat = nodes_.read(created->path).value().stat;
        } else if (const auto* changed = std::get_if<local::set_txn>(&p.changes)) {
            reply.stat = nodes_.read(changed->path).value().stat;
        }
        return;
    }
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
        nodes_.carry_out(all[i], when);
        if (const auto* created = std::get_if<local::create_txn>(&all[i])) {
            reply.paths[i] = created->path;
            reply.versions[i] = 0;
        } else if (const auto* changed = std::get_if<local::set_txn>(&all[i])) {
            reply.versions[i] = changed->version;
            reply.stat = nodes_.read(changed->path).value().stat;
        }
    }
}

}  // namespace turnstile::sql
