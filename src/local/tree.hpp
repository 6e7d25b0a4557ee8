// SPDX-License-Identifier: Apache-2.0
// tree: ZooKeeper's semantics as a value.
//
// The answer of an ensemble to a request, and the watch events that fire, are a pure function of the requests before.
// `local:` connect strings and the simulator use it. The contract suite (tests/contract) compares its answers with
// the answers of a real server.
//
//     tree t;
//     const session_id s = t.open_session();
//     applied a = t.apply(s, core::create_op{"/a", "", core::create_mode::ephemeral}, now_ms);
//     // a.reply: the answer; a.events: the watch events, in the order in which they fired. A session gets the
//     // events of a request before the reply to it.
//
// Every write gets a zxid, even a refused write; so do the opening and the closing of a session. Reads get none. Where
// servers guarantee no order (children, and the ephemerals of a closed session), the order here is ascending.
//
// An event about a node goes only to sessions that may read the node, as on servers since 3.8.4 and 3.9.2 and on
// Debian's 3.8.0 (CVE-2024-23944). A watch of `exists` on a protected node gets no event.
//
// Not modelled: quotas, ttl nodes, persistent watches, the limit of 1 MiB for a request, and the behaviour of 3.8.0 at
// the end of the sequence numbers for a sequential create that comes while another is in progress.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/node_store.hpp"
#include "local/server_traits.hpp"
#include "local/watch_table.hpp"

namespace turnstile::local {

class preparation;

struct applied {
    core::reply reply;  // answered, without what the connection adds (id, connection, sent)
    std::vector<fired_watch> events;
};

// The watches that a client had before its connection broke, by path.
struct client_watch_list {
    std::set<std::string> data;
    std::set<std::string> exists;
    std::set<std::string> children;
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] std::size_t size() const noexcept {
        return data.size() + exists.size() + children.size();
    }
    friend bool operator==(const client_watch_list&, const client_watch_list&) = default;
};

// A value without thread safety, threads, clock and I/O. Equal trees behave in the same way.
class tree {
public:
    explicit tree(const server_traits& traits = {}) : traits_{traits} {}

    // ---- sessions ----
    // Session ids count upwards from 1, or from the last id of `advance_sessions`, and are never used again.
    [[nodiscard]] session_id open_session(identities client = {});
    // The next session's id is larger than `last`. The ids must not go back.
    void advance_sessions(session_id last) noexcept { last_session_ = last; }
    [[nodiscard]] bool has_session(session_id session) const;
    [[nodiscard]] std::vector<session_id> sessions() const;
    // Ends a session that was closed or has expired: its watches go, and all its ephemerals at one zxid. Does nothing
    // if the session does not exist.
    std::vector<fired_watch> close_session(session_id session);

    // ---- requests ----
    // `creates_under_way`: creates in the same folder when the servers gave this operation its number. They matter
    // only when the folder's counter is at its end: then the number is that many beyond it.
    [[nodiscard]] applied apply(session_id session, const core::operation& op, std::int64_t now_ms,
                                std::int32_t creates_under_way = 0);

    // ---- watches ----
    // Drops the session's watches on `path`.
    void forget_watches(session_id session, const std::string& path);
    // The connection broke: the servers forget its watches, the session lives on.
    void drop_watches(session_id session);
    // The client is connected again and has seen all up to `seen_zxid`: watches with a later event fire, the others
    // are set again.
    [[nodiscard]] std::vector<fired_watch> restore_watches(session_id session,
                                                           const client_watch_list& watches,
                                                           std::int64_t seen_zxid);
    [[nodiscard]] std::size_t watch_count() const noexcept;
    // The paths on which the session has a watch.
    [[nodiscard]] std::set<std::string> watched_by(session_id session) const;
    // Returns the watches by kind; the watches of `exists` are among `data`.
    [[nodiscard]] client_watch_list watches_of(session_id session) const {
        return {data_watches_.of(session), {}, child_watches_.of(session)};
    }

    // ---- containers ----
    // A round of the servers' cleaner: removes the containers that had children and are empty.
    std::vector<fired_watch> reap();

    // ---- state ----
    [[nodiscard]] std::int64_t zxid() const noexcept { return zxid_; }
    // A new leader's zxids start higher. They must not go back.
    void advance_zxid(std::int64_t zxid) noexcept;
    [[nodiscard]] const server_traits& traits() const noexcept { return traits_; }
    void set_traits(const server_traits& traits) noexcept { traits_ = traits; }
    [[nodiscard]] const node_store& nodes() const noexcept { return nodes_; }
    // Lets tests reach the last sequence numbers. The node must exist.
    void set_creates(const std::string& path, std::int32_t creates);

    friend bool operator==(const tree&, const tree&) = default;

private:
    [[nodiscard]] const identities& who_is(session_id session) const;

    [[nodiscard]] applied write(session_id session, const core::operation& op, std::int64_t now_ms,
                                std::int32_t creates_under_way);
    void write_multi(preparation& checks, const core::multi_op& op, std::int64_t now_ms,
                     applied& out);
    template <class Op>
    void write_one(preparation& checks, const Op& op, std::int64_t now_ms, applied& out);
    void commit(const transaction& change, std::int64_t now_ms, std::vector<fired_watch>& events);
    void remove_node(const std::string& path, std::vector<fired_watch>& events);
    void fire_children(const std::string& path, std::vector<fired_watch>& events);
    void fire(const std::set<session_id>& to, core::watch_kind kind, const std::string& path,
              const acl& access, std::vector<fired_watch>& events) const;

    [[nodiscard]] core::reply read(session_id session, const core::get_op& op);
    [[nodiscard]] core::reply read(session_id session, const core::exists_op& op);
    [[nodiscard]] core::reply read(session_id session, const core::children_op& op);

    server_traits traits_;
    std::int64_t zxid_ = 0;
    session_id last_session_ = 0;
    node_store nodes_;
    std::map<session_id, identities> sessions_;
    watch_table data_watches_;  // set by get and exists
    watch_table child_watches_;
};

}  // namespace turnstile::local
