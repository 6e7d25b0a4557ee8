// SPDX-License-Identifier: Apache-2.0
// outstanding_request, outstanding_requests: the requests that were submitted and have no reply yet.
//
// Purpose: the C client keeps a pointer of this library for each completion. It calls the completion with that pointer,
// or never, if the handle is closed first. So this registry owns all objects that such a pointer reaches, and is
// emptied only after zookeeper_close() has returned. The registry also keeps the order of submission. A reply that the
// library makes itself must not come before the replies to earlier requests.
//
// Thread safety: one thread at a time. The address of a request never changes.
#pragma once

#include <zookeeper/zookeeper.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace turnstile::zookeeper
