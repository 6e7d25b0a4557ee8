// SPDX-License-Identifier: Apache-2.0
// own_znodes: the ephemeral znodes that a session may own because of the requests of this client.
//
// Purpose: if a session owns any other znode, another client has the session too. The answer to a request that creates
// or removes a znode may be lost. So the class already keeps a path when this client submits the request to create the
// znode. The class also keeps the paths of the latest removals.
//
// The class stores a path as a hash of eight bytes. If two paths have the same hash, a znode of another client may
// remain unnoticed; that is the only effect.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <unordered_set>

#include "core/seam/seam.hpp"
#include "zookeeper/packets.hpp"

namespace turnstile::zookeeper {

class own_znodes {
public:
    static constexpr std::size_t k_most_removed = 4096;

    void submitted(const core::operation& op);
    // `path`: a path at the server without the chroot, with its sequence number.
    [[nodiscard]] bool may_own(std::string_view path) const;
    // Moves the other client's znodes out of `listed`, the list of the session's znodes, and returns them. Also removes
    // the path of the session mark from `listed`. The session mark is a znode that shows that the session is in use. No
    // client may delete this znode while another client uses the session. `marked`: this client may have created the
    // znode. If `marked` is false, the other client has created it.
    [[nodiscard]] path_list take_foreign(path_list& listed, std::string_view chroot,
                                         std::string_view mark, bool marked) const;

private:
    void note_create(const core::create_op& op);
    void note_removal(std::string_view path);
    [[nodiscard]] bool knows(std::size_t name) const;

    std::unordered_set<std::size_t> names_;
    std::unordered_set<std::size_t> late_;  // the paths in removals_
    std::deque<std::size_t> removals_;      // the latest removals, the oldest first
};

}  // namespace turnstile::zookeeper
