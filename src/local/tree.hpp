// SPDX-License-Identifier: Apache-2.0
// tree: the behaviour of ZooKeeper's servers as a value, without threads and clock.
//
// The reply to a request and the events that fire depend only on the earlier requests. The in-memory back end and the
// simulator use this tree. The contract suite (tests/contract) compares its replies with a real server's.
//
//     tree t;
//     const session_id s = t.open_session();
//     applied a = t.apply(s, core::create_op{"/a", "", core::create_mode::ephemeral}, now_ms);
//     // a.reply: the answer; a.events: the watch events, in the order in which they fired. Deliver the events of a
//     // request to a session before the reply to that request.
//
// The tree assigns a zxid to every write, even to a refused write, and to the opening and the closing of a session.
// Reads get no zxid. Where servers guarantee no order (children, the ephemeral znodes of a closed session), this tree
// uses the ascending order.
//
// Only sessions that may read a znode get its events, as on servers since 3.8.4 and 3.9.2 and on Debian's 3.8.0
// (CVE-2024-23944). A watch that `exists` sets on a protected znode gets no event.
//
// Not modelled: quotas, ttl znodes, persistent watches, and the limit of 1 MiB for a request; and how 3.8.0 numbers a
// sequential create at the end of the sequence numbers while another create is in progress.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/tree_state.hpp"

namespace turnstile::local {

class preparation;

struct applied {
    core::reply reply;  // without the fields that the connection sets: id, connection, sent
    std::vector<fired_watch> events;
};

// The watches of a client: the watched paths, by the kind of request that set the watch.
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

// A value without thread safety, clock and I/O. Equal trees give equal replies to equal requests.
class tree {
public:
    explicit tree(const server_traits& traits = {}) : traits_{traits} {}

    // ---- sessions ----
    // Session ids count upwards from 1, or from the argument of advance_sessions(). The tree never uses an id again.
    [[nodiscard]] session_id open_session(identities client = {});
    // Makes the next session id larger than `last`, which must not be smaller than the last used id.
    void advance_sessions(session_id last) noexcept { last_session_ = last; }
    [[nodiscard]] bool has_session(session_id session) const;
    [[nodiscard]] std::vector<session_id> sessions() const;
    // Ends a session that has expired or that its client closes: removes its watches, and all its ephemeral znodes at
    // one zxid. Does nothing if the session does not exist.
    std::vector<fired_watch> close_session(session_id session);

    // ---- requests ----
    // `creates_under_way`: the number of creates in the same folder that were in progress when the servers chose this
    // create's sequence number. It matters only at the end of the sequence numbers, where it is added to the number.
    [[nodiscard]] applied apply(session_id session, const core::operation& op, std::int64_t now_ms,
                                std::int32_t creates_under_way = 0);

    // ---- watches ----
    void forget_watches(session_id session, const std::string& path);
    // Call this when the session's connection breaks. Removes the session's watches, but not the session.
    void drop_watches(session_id session);
    // Call this when the session is connected again. A watch fires at once if its znode has changed after `seen_zxid`,
    // the last zxid that the client has seen. The other watches are set again.
    [[nodiscard]] std::vector<fired_watch> restore_watches(session_id session,
                                                           const client_watch_list& watches,
                                                           std::int64_t seen_zxid);
    [[nodiscard]] std::size_t watch_count() const noexcept;
    [[nodiscard]] std::set<std::string> watched_by(session_id session) const;
    // Returns the session's watches by kind. `data` includes the watches that `exists` has set.
    [[nodiscard]] client_watch_list watches_of(session_id session) const {
        return {data_watches_.of(session), {}, child_watches_.of(session)};
    }

    // ---- containers ----
    // Runs the servers' container cleaner once: removes the containers that had children and are empty.
    std::vector<fired_watch> reap();

    // ---- state ----
    [[nodiscard]] std::int64_t zxid() const noexcept { return zxid_; }
    // Raises the zxid, as a new leader does. `zxid` must not be smaller than the current zxid.
    void advance_zxid(std::int64_t zxid) noexcept;
    [[nodiscard]] const server_traits& traits() const noexcept { return traits_; }
    void set_traits(const server_traits& traits) noexcept { traits_ = traits; }
    [[nodiscard]] const node_store& nodes() const noexcept { return nodes_; }
    // For tests: sets an existing znode's counter of creates, to reach the last sequence numbers.
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
    watch_table data_watches_;  // set by get_op and exists_op
    watch_table child_watches_;
};

}  // namespace turnstile::local
