// SPDX-License-Identifier: Apache-2.0
// truth_writer: writes each committed transaction into the history. prepare_tree() creates the tree with which a
// history begins. Every kind of simulated server uses both.
#pragma once

#include <cstdint>
#include <string>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"
#include "simulation/history.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

// Creates the folders that the scenario requires. Returns the session in which operators write.
session_id prepare_tree(const scenario& plan, local::tree& tree);

// The origin of a transaction.
struct commit_origin {
    session_id session = 0;
    bool by_hand = false;  // true: not from the library
    bool held_up = false;  // true: its server's thread was stopped while it handled the request
    std::int64_t zxid = 0;
    std::int64_t stamp = 0;  // time stamp of the server, in milliseconds
    instant when{};
};

class truth_writer {
public:
    truth_writer(const scenario& plan, history& truth) : scenario_{plan}, history_{truth} {}

    // Writes an executed operation into the history. `answer` is the operation's reply.
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
