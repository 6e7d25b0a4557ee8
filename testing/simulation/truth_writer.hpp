// SPDX-License-Identifier: Apache-2.0
// truth_writer: shared by servers of every kind: the tree with which a history begins, and the record of committed
// transactions in the history.
#pragma once

#include <cstdint>
#include <string>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"
#include "simulation/history.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

// Creates the required folders. Returns the session with which operators write.
session_id prepare_tree(const scenario& plan, local::tree& tree);

// A transaction's origin.
struct commit_origin {
    session_id session = 0;
    bool by_hand = false;  // not by the library
    bool held_up = false;  // a thread of its server was stopped while it handled it
    std::int64_t zxid = 0;
    std::int64_t stamp = 0;  // the server's, in milliseconds
    instant when{};
};

class truth_writer {
public:
    truth_writer(const scenario& plan, history& truth) : scenario_{plan}, history_{truth} {}

    // Records an executed operation; `answer` is its reply.
    void record(const commit_origin& from, const core::operation& op, const core::reply& answer);

private:
    template <class Op>
    void record_part(const commit_origin& from, const Op& op, const std::string& created);
    [[nodiscard]] bool is_semaphore(const std::string& path) const {
        return path == scenario_.semaphore;
    }
    void record_limit(const std::string& folder, const std::string& text, std::int64_t zxid);

    const scenario& scenario_;
    history& history_;
};

}  // namespace turnstile::simulation
