// SPDX-License-Identifier: Apache-2.0
// model: finds the steps that are possible in a state, their effects, and the promises that they break.
//
// The model computes the effect of each event on each distinct client or server once. A step then needs a few look-ups
// instead of copies of cores and trees. The model keeps all these values, so its memory grows with the search.
//
//     model world{bounds};
//     std::vector<transition> next;
//     world.successors(world.first(), next);
//
// Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verification/search/bounds.hpp"
#include "verification/search/client.hpp"
#include "verification/search/position.hpp"
#include "verification/search/step.hpp"

namespace turnstile::search {

struct transition {
    step move;
    position to;
};

class model {
public:
    explicit model(const bounds& limits);

    // The state before any call, with each client attached to a separate session.
    [[nodiscard]] const position& first() const noexcept { return first_; }

    // Replaces `next` by all possible transitions of `from`.
    void successors(const position& from, std::vector<transition>& next);

    // Returns the promise that the transition broke, and why; empty if none.
    [[nodiscard]] std::string breach(const position& before, const transition& taken) const;
    // Returns the promise that is broken if a history ends in this state; empty if none.
    [[nodiscard]] std::string breach_at_end(const position& at) const;
    // Returns true if a history may end in a state with these possible transitions.
    [[nodiscard]] static bool may_end(const std::vector<transition>& next);

    // Returns the transition as text. `before` is the state before it.
    [[nodiscard]] std::string describe(const position& before, const transition& transition) const;

    [[nodiscard]] std::size_t distinct_clients() const noexcept;
    [[nodiscard]] std::size_t distinct_servers() const noexcept { return servers_.size(); }

private:
    struct hash_client {
        std::uint64_t operator()(const client& c) const { return c.hash(); }
    };
    struct hash_servers {
        std::uint64_t operator()(const servers& s) const;
    };

    // An event of a client.
    using client_event = std::variant<happening, core::reply, core::watch_event>;
    struct server_event {
        session_name session = 0;
        server_act action;
        std::string text;  // distinguishes this event from others
        friend bool operator==(const server_event& a, const server_event& b) {
            return a.text == b.text;
        }
    };
    struct hash_client_event {
        std::uint64_t operator()(const client_event& e) const;
    };
    struct hash_server_event {
        std::uint64_t operator()(const server_event& e) const;
    };

    // Properties of a client that many steps need, computed once for each distinct client.
    struct face {
        stage at{};
        bool holds = false;
        bool crashed = false;
        bool called = false;
        bool attached = false;
        bool may_attach = false;
        bool timer_due = false;
        bool has_timer = false;
        bool lease_over = false;
        bool finished = false;
        bool hears = false;
        contender_number granted = 0;
        session_name session = 0;
        // Events that the servers may handle next. `front`: the client's oldest message. `backwards`: the same message,
        // but the servers send the missed watch events in reverse order. `late`: the oldest write of a broken
        // connection.
        std::optional<value_id> front;
        std::optional<value_id> backwards;
        std::optional<value_id> late;
        std::optional<value_id> closing;  // closes the session that the client gave up
        bool front_is_request = false;
        bool broken = false;
    };
    struct served {
        value_id servers = 0;
        value_id reply = 0;  // number of the client event
        std::vector<std::pair<unsigned, value_id>> told;
    };

    [[nodiscard]] const client& client_at(const position& p, unsigned client) const {
        return clients_[client][p.clients[client]];
    }
    [[nodiscard]] const servers& servers_at(const position& p) const { return servers_[p.servers]; }
    [[nodiscard]] const face& face_of(const position& p, unsigned client) const {
        return faces_[client][p.clients[client]];
    }
    [[nodiscard]] value_id number(unsigned index, client&& value);
    [[nodiscard]] value_id number(session_name session, server_act&& act);
    [[nodiscard]] face look(const client& value);

    void give(position& p, unsigned client, value_id event);
    void give(position& p, unsigned client, happening happening);
    value_id ask(position& p, value_id event);  // returns the number of the reply
    value_id ask(position& p, session_name session, server_act&& act);

    void list_steps(const position& from, std::vector<step>& steps) const;
    void list_steps(const position& from, unsigned client, std::vector<step>& steps) const;
    void list_faults(const position& from, unsigned client, std::vector<step>& steps) const;
    [[nodiscard]] bool may_acquire(const position& from, unsigned client) const;
    [[nodiscard]] bool all_finished(const position& at) const;
    [[nodiscard]] bool session_lives(const position& at, unsigned client) const;
    [[nodiscard]] position take(const position& from, const step& step);
    void serve(position& p, unsigned client, value_id event);
    void attach(position& p, unsigned client);
    void cut(position& p, unsigned client, happening how);
    void expire(position& p, unsigned client);
    void pass(position& p);
    void start();

    [[nodiscard]] std::string judge_client(const position& before, const position& after,
                                           unsigned client) const;
    [[nodiscard]] std::string judge_grant(const position& before, const position& after,
                                          unsigned client) const;
    [[nodiscard]] std::string judge_holds(const position& at) const;
    [[nodiscard]] std::string judge_rest(const position& at, unsigned client) const;

    bounds limits_;
    position first_;
    std::vector<interner<client, hash_client>> clients_;
    std::vector<std::vector<face>> faces_;
    interner<servers, hash_servers> servers_;
    interner<client_event, hash_client_event> client_events_;
    interner<server_event, hash_server_event> server_events_;
    std::vector<memo<value_id>> client_memo_;
    memo<served> server_memo_;
    std::vector<step> steps_;
};

}  // namespace turnstile::search
