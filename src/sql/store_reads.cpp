// SPDX-License-Identifier: Apache-2.0
// store: reads, with and without a watch.
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

}  // namespace

// An owner whose process has gone is taken out, and before a list all sessions that are due; then the request looks
// again: so what it answers is free of what is held no more.
carried_out store::read(const core::operation& op) {
    carried_out out;
    if (std::holds_alternative<core::children_op>(op) && any_due()) static_cast<void>(end_others());
    for (int look = 1;; ++look) {
        std::set<session_id> owners;
        std::vector<queued_event> events = std::move(out.events);
        read_once(op, out, owners);
        out.events.insert(out.events.begin(), std::make_move_iterator(events.begin()),
                          std::make_move_iterator(events.end()));
        bool again = false;
        for (const session_id owner : owners)
            if (owner != id_ && owner != 0 && db_.is_gone(owner))
                again |= end_session(owner, end_if::gone);
        if (!again || look == k_most_looks) return out;
    }
}

bool store::any_due() {
    bool due = false;
    transact(access::read, [&] {
        const std::string text =
            "SELECT id FROM turnstile_sessions WHERE deadline <= " + db_.words().now +
            " AND id <> ?1 LIMIT 1";
        due = !db_.run(text, {id_}).rows.empty();
    });
    return due;
}

void store::read_once(const core::operation& op, carried_out& out, std::set<session_id>& owners) {
    const bool watched = std::visit(
        [](const auto& request) {
            if constexpr (requires { request.watch; }) {
                return request.watch == watch_mode::watch;
            } else {
                return false;
            }
        },
        op);
    const auto look = [&]<class Op>(const Op& request, watch_table kind) {
        const bool possible = local::server_accepts_path(request.path);
        const auto n = possible ? nodes_.read(request.path) : std::nullopt;
        const bool may_miss = std::is_same_v<Op, core::exists_op>;
        if (!n) {
            out.reply = core::answered(server_error::no_node);
        } else if (!may_miss && !n->access.allows(local::acl::right::read, settings_.client)) {
            out.reply = core::answered(server_error::no_auth);
            return;
        } else {
            out.reply = core::answered(server_error::ok);
            out.reply.stat = n->stat;
            owners.insert(n->stat.ephemeral_owner);
        }
        if (watched && possible && (n || may_miss))
            nodes_.watch(kind, request.path, id_, settings_.client);
        if constexpr (std::is_same_v<Op, core::get_op>) {
            if (n) out.reply.data = n->data;
        }
        if constexpr (std::is_same_v<Op, core::children_op>) {
            if (!n) return;
            for (child& c : nodes_.children_of(request.path)) {
                owners.insert(c.owner);
                out.reply.children.push_back(std::move(c.name));
            }
        }
    };
    const access how = watched ? access::write : access::read;
    transact(how, [&] {
        out = {};
        owners.clear();
        if (!keep_session(how)) {
            out = {core::answered(server_error::session_expired), {}, true, {}};
            return;
        }
        if (watched) db_.lock(touched_paths{op}.list(), lock_mode::shared);
        if (const auto* get = std::get_if<core::get_op>(&op)) look(*get, watch_table::data);
        if (const auto* there = std::get_if<core::exists_op>(&op)) look(*there, watch_table::data);
        if (const auto* list = std::get_if<core::children_op>(&op))
            look(*list, watch_table::children);
        fetch_events(out.events);
        if (watched) out.next_end = until_next_end();
    });
}

}  // namespace turnstile::sql
