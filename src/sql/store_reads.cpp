// SPDX-License-Identifier: Apache-2.0
// store: reads, with and without a watch.
#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "sql/store.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;
using core::watch_mode;

constexpr int k_most_looks = 3;

// What the reads have in common.
struct reading {
    std::string path;
    bool watched = false;
    bool may_miss = false;  // a node that is not there can be watched
    bool lists = false;
    bool tells_data = false;
    bool possible = false;  // there may be a node with such a path
    [[nodiscard]] watch_table table() const noexcept {
        return lists ? watch_table::children : watch_table::data;
    }
};

reading to_reading(const core::operation& op) {
    reading r;
    const auto take = [&]<class Op>(const Op& request) {
        if constexpr (requires { request.watch; }) {
            r.path = request.path;
            r.watched = request.watch == watch_mode::watch;
            r.may_miss = std::is_same_v<Op, core::exists_op>;
            r.lists = std::is_same_v<Op, core::children_op>;
            r.tells_data = std::is_same_v<Op, core::get_op>;
        }
    };
    std::visit(take, op);
    r.possible = local::server_accepts_path(r.path);
    return r;
}

server_error word_for(const reading& asked, const std::optional<stored_node>& n,
                      const local::identities& client) {
    if (!n) return server_error::no_node;
    if (!asked.may_miss && !n->access.allows(local::acl::right::read, client))
        return server_error::no_auth;
    return server_error::ok;
}

}  // namespace

// An answer shows nothing that is over: an owner whose process has gone is ended, and before a list all sessions that
// are due; then the request looks again.
carried_out store::read(const core::operation& op) {
    carried_out out;
    for (int look = 1; !read_once(op, out) && look < k_most_looks; ++look) {
    }
    return out;
}

// A watch on a node that must be there waits until that is known; all else goes together.
bool store::read_once(const core::operation& op, carried_out& out) {
    const reading wanted = to_reading(op);
    const access how = wanted.watched ? access::write : access::read;
    asked_statement session{};
    asked_statement node{};
    std::optional<stored_node> n;
    const auto take_node = [&] {
        n = wanted.possible ? stored_nodes::node_in(db_.answer(node)) : std::nullopt;
    };
    const auto ask = [&] {
        session = ask_for_session(how);
        if (wanted.watched) db_.lock(touched_paths{op}.list(), lock_mode::shared);
        if (wanted.possible) node = nodes_.ask(wanted.path);
        if (wanted.watched && wanted.possible) {
            if (!wanted.may_miss) take_node();
            if (wanted.may_miss || word_for(wanted, n, settings_.client) == server_error::ok)
                nodes_.watch(wanted.table(), wanted.path, {id_, attachment_}, settings_.client);
        }
        ask_for_news(wanted.watched || wanted.lists ? ends::asked : ends::unasked,
                     wanted.lists && wanted.possible ? &wanted.path : nullptr);
    };
    std::vector<queued_event> before = std::move(out.events);
    bool lives = true;
    transact(how, ask, [&] {
        out = {};
        news found = take_news();
        out.events = std::move(before);
        std::move(found.events.begin(), found.events.end(), std::back_inserter(out.events));
        if (db_.answer(session).rows.empty()) {
            out.reply = core::answered(server_error::session_expired);
            out.expired = true;
            return;
        }
        if (wanted.may_miss || !wanted.watched) take_node();
        out.reply = core::answered(word_for(wanted, n, settings_.client));
        out.next_end = found.next_end;
        const bool due = wanted.lists && out.next_end && out.next_end->count() <= 0;
        if (out.reply.error == server_error::ok) {
            out.reply.stat = n->stat;
            if (wanted.tells_data) out.reply.data = n->data;
        }
        std::set<session_id> owners;
        if (n) owners.insert(n->stat.ephemeral_owner);
        if (wanted.lists && out.reply.error == server_error::ok) {
            for (child& c : found.children) {
                owners.insert(c.owner);
                out.reply.children.push_back(std::move(c.name));
            }
        }
        lives = !due && all_live(owners);
        if (!wanted.watched) out.next_end.reset();
    });
    if (!lives) static_cast<void>(end_others());
    return lives;
}

}  // namespace turnstile::sql
