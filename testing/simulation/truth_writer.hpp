// SPDX-License-Identifier: Apache-2.0
// truth_writer: what servers of every kind have in common: the tree with which a history begins, and how the history
// learns of what was committed.
#pragma once

#include <cstdint>
#include <string>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"
#include "simulation/history.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

// Makes the folders that are to be there; gives the session by which operators write.
session_id prepare_tree(const scenario& plan, local::tree& tree);

// A transaction, and where it comes from.
struct commit_origin {
    session_id session = 0;
    bool by_hand = false;  // not by the library
    bool held_up = false;  // a thread of its server had it in its hands for long
    std::int64_t zxid = 0;
    std::int64_t stamp = 0;  // the server's, milliseconds
    instant when{};
};

class truth_writer {
public:
    truth_writer(const scenario& plan, history& truth) : scenario_{plan}, history_{truth} {}

    // An operation that was carried out; `answer` is its reply.
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
