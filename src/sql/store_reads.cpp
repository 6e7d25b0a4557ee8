// SPDX-License-Identifier: Apache-2.0
// The part of class `store` that executes reads, with and without a watch.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sql/read_batch.hpp"
#include "sql/store.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

constexpr int k_most_looks = 3;

const stored_node* node_at(const std::map<std::string, stored_node>& nodes,
                           const std::string& path) {
    const auto found = nodes.find(path);
    return found == nodes.end() ? nullptr : &found->second;
}

server_error word_for(const reading& asked, const stored_node* node,
                      const local::identities& client) {
    if (node == nullptr) return server_error::no_node;
    if (!asked.may_miss && !node->access.allows(local::acl::right::read, client))
        return server_error::no_auth;
    return server_error::ok;
}

}  // namespace

// A reply must not show znodes of an ended session. If a reply shows a znode whose owner's process has ended, the store
// ends that session and reads again. If the batch has a list (a read of children) and a session has expired, the store
// also ends the expired sessions and reads again. The store begins with the owners of the listed znodes.
carried_out store::read(operations all) {
    carried_out out;
    for (int look = 1; !read_once(all, out) && look < k_most_looks; ++look) {
    }
    return out;
}

// Sends all statements together, except watches on znodes that must exist. The store sends such a watch after it has
// read the znode.
bool store::read_once(operations all, carried_out& out) {
    const read_batch batch{all};
    const access how = batch.watched() ? access::write : access::read;
    asked_statement session{};
    std::vector<asked_statement> asked;
    std::map<std::string, stored_node> nodes;
    const auto ask = [&] {
        session = ask_for_session(how);
        if (batch.watched()) db_.lock(batch.locked(), lock_mode::shared);
        asked = nodes_.ask_all(batch.paths());
        if (batch.watches_what_is_there()) nodes = nodes_.take_all(asked);
        if (batch.watched())
            for (const reading& each : batch.all())
                if (each.possible &&
                    (each.may_miss || word_for(each, node_at(nodes, each.path), settings_.client) ==
                                          server_error::ok))
                    nodes_.watch(each.table(), each.path, {own_.id, own_.attachment},
                                 settings_.client);
        news_.ask(own_.id,
                  batch.watched() || batch.lists() ? fetched_news::ends::asked
                                                   : fetched_news::ends::unasked,
                  batch.folders());
    };
    std::vector<queued_event> before = std::move(out.events);
    bool lives = true;
    std::set<session_id> owners;
    transact(how, ask, [&] {
        out = {};
        news found = news_.take();
        out.events = std::move(before);
        std::move(found.events.begin(), found.events.end(), std::back_inserter(out.events));
        if (db_.answer(session).rows.empty()) {
            out.expired = true;
            out.replies.assign(all.size(), core::answered(server_error::session_expired));
            return;
        }
        if (!batch.watches_what_is_there()) nodes = nodes_.take_all(asked);
        owners.clear();
        for (const reading& each : batch.all())
            out.replies.emplace_back(answer_of(each, node_at(nodes, each.path), found, owners));
        const bool due = batch.lists() && found.next_end && found.next_end->count() <= 0;
        lives = !due && all_live(owners);
        if (batch.watched()) out.next_end = found.next_end;
    });
    if (!lives) end_others(owners);
    return lives;
}

core::reply store::answer_of(const reading& asked, const stored_node* node, const news& found,
                             std::set<session_id>& owners) const {
    core::reply reply = core::answered(word_for(asked, node, settings_.client));
    if (node != nullptr) owners.insert(node->stat.ephemeral_owner);
    if (reply.error != server_error::ok) return reply;
    reply.stat = node->stat;
    if (asked.tells_data) reply.data = node->data;
    if (!asked.lists) return reply;
    const auto children = found.children.find(asked.path);
    if (children == found.children.end()) return reply;
    for (const child& c : children->second) {
        owners.insert(c.owner);
        reply.children.push_back(c.name);
    }
    return reply;
}

}  // namespace turnstile::sql
