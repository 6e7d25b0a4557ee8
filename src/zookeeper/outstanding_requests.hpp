// SPDX-License-Identifier: Apache-2.0
// outstanding_requests: the requests that were submitted and have no reply yet, and the order of their replies.
//
// Purpose: the C client keeps a pointer of this library for each completion. It calls the completion with that pointer,
// or never, if the handle is closed first. So this registry owns all objects that such a pointer reaches, and is
// emptied only after zookeeper_close() has returned. The registry also keeps the order of submission. A reply that the
// library makes itself must not come before the replies to earlier requests.
//
//     completion_listener   receives the completions of the requests
//     ordered_outlet        delivers events in order, although an earlier reply may be incomplete
//
// Thread safety: one thread at a time. The address of a request never changes.
#pragma once

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "core/seam/seam.hpp"
#include "zookeeper/server_knowledge.hpp"
#include "zookeeper/server_role.hpp"

namespace turnstile::zookeeper {

struct outstanding_request;

class completion_listener {
public:
    // Called when the C client has completed the request and the answer is filled in.
    virtual void completed(outstanding_request& p, int rc) = 0;

protected:
    ~completion_listener() = default;
};

struct outstanding_request {
    // `user`: the core waits for the reply. This library sends the other requests for itself: `watch_removal` removes a
    // path's watches; the answer to a `witness`, a read, shows that the connection is still the same; the answer to an
    // `examination` shows which requests the server knows.
    enum class purpose { user, watch_removal, witness, examination };

    completion_listener* owner = nullptr;
    purpose why = purpose::user;
    core::reply answer;       // `connection`: the connection of the submission
    bool settled = false;     // `answer` is complete and waits for its turn
    bool sets_watch = false;  // a watch on `path`
    std::string path;         // for sets_watch and watch_removal
    create_step step = create_step::none;
    std::int32_t created_bytes = 0;  // the length of the new znode's data

    std::optional<server_answers>
        told{};  // for witness and examination: the answers of the server itself

    // The C client writes the results of a multi request's operations into these members.
    std::vector<zoo_op_result_t> results;
    std::vector<std::string> result_paths;
    std::vector<Stat> result_stats;

    std::list<outstanding_request>::iterator self;
};

class outstanding_requests {
public:
    outstanding_request& add() {
        outstanding_request& p = all_.emplace_back();
        p.self = std::prev(all_.end());
        return p;
    }
    // Called when this library has passed a request to the C client.
    void handed_over() noexcept { ++with_client_; }
    // Called when the C client has completed a request.
    void came_back() noexcept { --with_client_; }
    void remove(outstanding_request& p) { all_.erase(p.self); }

    // Returns the earliest request if its answer is complete; otherwise null.
    [[nodiscard]] outstanding_request* first_settled() noexcept {
        return !all_.empty() && all_.front().settled ? &all_.front() : nullptr;
    }
    [[nodiscard]] std::size_t with_client() const noexcept { return with_client_; }
    void clear() noexcept { all_.clear(); }

private:
    std::list<outstanding_request> all_;
    std::size_t with_client_ = 0;
};

// Delivers the events of a session in order. An event waits while an earlier reply is incomplete.
//
// On a server without the request create2, the client creates a znode with two requests. The reply to the caller is
// complete only with the second answer, and messages that arrive before that answer wait. So the session delivers
// replies in the order of the requests (core/seam/seam.hpp).
//
// Thread safety: none. The lock that lets one thread deliver at a time guards the object.
class ordered_outlet {
public:
    explicit ordered_outlet(core::session_sink& sink) : outlet_{sink} {}

    void deliver(core::coordinator_event&& event) {
        if (line_.empty()) return outlet_.deliver(std::move(event));
        line_.push_back({nullptr, std::move(event)});
    }
    // Reserves a place in the order of delivery for the incomplete reply to the request `p`, unless the reply has a
    // place already.
    void expect(outstanding_request& p) {
        if (find(p) == nullptr) line_.push_back({&p, std::nullopt});
    }
    // Puts the reply to the request `p` into the place that expect() reserved. If no place was reserved, returns false
    // and leaves `reply` unchanged.
    [[nodiscard]] bool complete(const outstanding_request& p, core::coordinator_event&& reply) {
        entry* const place = find(p);
        if (place != nullptr) *place = {nullptr, std::move(reply)};
        return place != nullptr;
    }
    // Answers each incomplete create with an unknown outcome. An incomplete create waits for the answer to its second
    // request, the read of the Stat. On a dead handle, the C client gives that answer only when the session closes the
    // handle.
    void give_up_incomplete() {
        for (entry& each : line_) {
            if (each.expected == nullptr) continue;
            each.expected->why = outstanding_request::purpose::witness;  // no caller waits any more
            core::reply lost;
            lost.id = each.expected->answer.id;
            lost.connection = each.expected->answer.connection;
            lost.sent = each.expected->answer.sent;
            lost.outcome = core::outcome::unknown;
            each = {nullptr, std::move(lost)};
        }
    }
    // Delivers all events that no longer wait for an incomplete reply.
    void deliver_complete() {
        for (; !line_.empty() && line_.front().event; line_.pop_front())
            outlet_.deliver(std::move(*line_.front().event));
    }
    // From now on the user of the session gets no event and no reply.
    void close() noexcept { outlet_.close(true); }
    [[nodiscard]] bool is_closed() const noexcept { return outlet_.is_closed(); }

private:
    struct entry {
        outstanding_request* expected;  // the request of an incomplete reply; else null
        std::optional<core::coordinator_event> event;
    };
    entry* find(const outstanding_request& p) {
        const auto place = std::find_if(line_.begin(), line_.end(),
                                        [&](const entry& each) { return each.expected == &p; });
        return place == line_.end() ? nullptr : &*place;
    }

    core::event_outlet outlet_;
    std::deque<entry> line_;
};

}  // namespace turnstile::zookeeper
