// SPDX-License-Identifier: Apache-2.0
// own_znodes: the ephemeral znodes that a session may own because of its requests.
//
// Purpose: if a session owns another znode, another client has the session as well. A create counts from its
// submission, since its answer may be lost; the latest removals are remembered for the same reason.
//
// A path takes eight bytes, as its hash: if two paths had one hash, a stranger's znode could go unnoticed, no more.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <unordered_set>

#include "core/seam/seam.hpp"

namespace turnstile::zookeeper {

class own_znodes {
public:
    static constexpr std::size_t k_most_removed = 4096;

    void submitted(const core::operation& op);
    // `path` in the servers' form, below the chroot: with its sequence number.
    [[nodiscard]] bool may_own(std::string_view path) const;

private:
    void note_create(const core::create_op& op);
    void note_removal(std::string_view path);
    [[nodiscard]] bool knows(std::size_t name) const;

    std::unordered_set<std::size_t> names_;
    std::unordered_set<std::size_t> late_;  // the paths in removals_
    std::deque<std::size_t> removals_;      // the latest, in order
};

}  // namespace turnstile::zookeeper
