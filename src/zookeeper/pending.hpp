// SPDX-License-Identifier: Apache-2.0
// pending_request, pending_requests: requests that were submitted and are not answered yet.
//
// Purpose: the C client calls a completion with a pointer of ours, or never (when the handle is closed). So this
// registry owns everything that such a pointer reaches, and is emptied only after zookeeper_close() has returned. It
// also keeps the order of submission, because a reply that we give ourselves must not overtake the replies of earlier
// requests.
//
// Thread safety: one thread at a time; addresses of requests stay the same.
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
#include "zookeeper/server_role.hpp"

namespace turnstile::zookeeper {

struct pending_request;

class completion_listener {
public:
    // The C client has completed the request, and its answer's fields are filled in.
    virtual void completed(pending_request& p, int rc) = 0;

protected:
    ~completion_listener() = default;
};

struct pending_request {
    // `user`: has a reply. The others are our own: the removal of a path's watches, a read whose answer shows that a
    // connection has not changed since it was sent, and a request that shows what the server knows.
    enum class purpose { user, watch_removal, witness, examination };

    completion_listener* owner = nullptr;
    purpose why = purpose::user;
    core::reply answer;       // `connection`: of its submission
    bool settled = false;     // `answer` is complete and waits for its turn
    bool sets_watch = false;  // a watch on `path`
    std::string path;         // for sets_watch and watch_removal
    // A create: its current request. `container` and `create2` are single requests, the other two form a pair.
    enum class create_step { none, container, create2, create, stat };
    create_step step = create_step::none;
    std::int32_t created_bytes = 0;  // length of its data

    std::optional<server_answers>
        told{};  // for witness and examination: the answers of the server itself

    // The C client writes a multi's results here.
    std::vector<zoo_op_result_t> results;
    std::vector<std::string> result_paths;
    std::vector<Stat> result_stats;

    std::list<pending_request>::iterator self;
};

class pending_requests {
public:
    pending_request& add() {
        pending_request& p = all_.emplace_back();
        p.self = std::prev(all_.end());
        return p;
    }
    // Records that the C client has the request now.
    void handed_over() noexcept { ++with_client_; }
    // The C client does not have it any more.
    void came_back() noexcept { --with_client_; }
    void remove(pending_request& p) { all_.erase(p.self); }

    // The first of all requests, if its reply only waits for its turn.
    [[nodiscard]] pending_request* first_settled() noexcept {
        return !all_.empty() && all_.front().settled ? &all_.front() : nullptr;
    }
    [[nodiscard]] std::size_t with_client() const noexcept { return with_client_; }
    void clear() noexcept { all_.clear(); }

private:
    std::list<pending_request> all_;
    std::size_t with_client_ = 0;
};

}  // namespace turnstile::zookeeper
