// SPDX-License-Identifier: Apache-2.0
// The part of class `store` that executes reads, with and without a watch.
#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "local/znode_path.hpp"
#include "sql/store.hpp"
#include "sql/stored_nodes.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {

// The znode that a request reads, and the kind of the read.
struct reading {
    std::string path;
    bool watched = false;
    bool may_miss = false;  // the read may watch an absent znode
    bool lists = false;
    bool tells_data = false;
    bool possible = false;  // a path that a znode may have

    explicit reading(const core::operation& op) {
        std::visit([this]<class Op>(const Op& request) { take(request); }, op);
        possible = local::server_accepts_path(path);
    }
    [[nodiscard]] watched_part table() const noexcept {
        return lists ? watched_part::children : watched_part::data;
    }

private:
    template <class Op>
    void take(const Op& request) {
        if constexpr (requires { request.watch; }) {
            path = request.path;
            watched = request.watch == core::watch_mode::watch;
            may_miss = std::is_same_v<Op, core::exists_op>;
            lists = std::is_same_v<Op, core::children_op>;
            tells_data = std::is_same_v<Op, core::get_op>;
        }
    }
};

namespace {

using core::server_error;

constexpr int k_most_looks = 3;

// The reads of one transaction. Either every read sets a watch, or no read sets a watch (request_batch.hpp).
class read_batch {
public:
    explicit read_batch(std::span<const core::operation* const> all) {
        for (const core::operation* const op : all) {
            const reading& added = all_.emplace_back(*op);
            touching_.add_request(*op);
            if (!added.possible) continue;
            paths_.insert(added.path);
            if (added.lists) folders_.insert(added.path);
        }
    }

    [[nodiscard]] const std::vector<reading>& all() const noexcept { return all_; }
    [[nodiscard]] bool watched() const noexcept { return all_.front().watched; }
    [[nodiscard]] bool lists() const noexcept {
        return std::any_of(all_.begin(), all_.end(), [](const reading& r) { return r.lists; });
    }
    [[nodiscard]] bool watches_what_is_there() const noexcept {
        return watched() && std::any_of(all_.begin(), all_.end(),
                                        [](const reading& r) { return r.possible && !r.may_miss; });
    }
    // paths() returns the paths of the znodes to read, and folders() the folders whose children the batch lists.
    // locked() returns the paths to lock if the reads set watches.
    [[nodiscard]] std::vector<std::string> paths() const { return {paths_.begin(), paths_.end()}; }
    [[nodiscard]] std::vector<std::string> folders() const {
        return {folders_.begin(), folders_.end()};
    }
    [[nodiscard]] std::vector<std::string> locked() const { return touching_.list(); }

private:
    std::vector<reading> all_;
    touched_paths touching_;
    std::set<std::string> paths_;
    std::set<std::string> folders_;
};

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
