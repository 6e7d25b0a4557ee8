// SPDX-License-Identifier: Apache-2.0
// own_znodes: which ephemeral znodes a session may own by its own requests.
//
// Purpose: a session that owns another znode is another client's, too. A create counts from its submission, since its
// answer may be lost; the latest removals are remembered for the same reason.
//
// A path takes eight bytes, as its hash: two paths with one hash would hide a stranger's znode, and do no other harm.
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
    // `path` as the servers list it, below the chroot: with its sequence number.
    [[nodiscard]] bool may_own(std::string_view path) const;

private:
    void note_create(const core::create_op& op);
    void note_removal(std::string_view path);
    [[nodiscard]] bool knows(std::size_t name) const;

    std::unordered_set<std::size_t> names_;
    std::unordered_set<std::size_t> late_;  // of removals_
    std::deque<std::size_t> removals_;      // the latest, in order
};

}  // namespace turnstile::zookeeper
