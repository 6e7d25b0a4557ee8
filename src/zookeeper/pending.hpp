// SPDX-License-Identifier: Apache-2.0
// pending_request, pending_requests: what was submitted and not answered yet.
//
// Purpose: the C client calls a completion with a pointer of ours, or never (when the handle is
// closed). So everything that a pointer of ours leads to belongs to this registry, which is emptied
// only after zookeeper_close() has returned. It also keeps the order of submission, because a reply
// that we give ourselves must not overtake those of earlier requests.
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
    // `user`: has a reply. The others are our own: the removal of a path's watches, a read whose
    // answer shows that a connection has not changed since it was sent, and a request that shows what the server knows.
    enum class purpose { user, watch_removal, witness, examination };

    completion_listener* owner = nullptr;
    purpose why = purpose::user;
    core::reply answer;       // `connection` is the one it was submitted on
    bool settled = false;     // `answer` is complete, only its turn has not come
    bool sets_watch = false;  // a watch on `path`
    std::string path;         // of sets_watch and watch_removal
    // A create: which of its requests is under way. A container's and create2 are alone, the other two come together.
    enum class create_step { none, container, create2, create, stat };
    create_step step = create_step::none;
    std::int32_t created_bytes = 0;  // of data

    std::optional<server_answers>
        told{};  // of witness and examination: what the server said of itself

    // A multi's results are written by the C client here.
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
    // The C client has it from now on.
    void handed_over() noexcept { ++with_client_; }
    // It has it no more.
    void came_back() noexcept { --with_client_; }
    void remove(pending_request& p) { all_.erase(p.self); }

    // The first of all if its reply waits only for its turn.
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
