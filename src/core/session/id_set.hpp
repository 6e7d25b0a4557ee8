// SPDX-License-Identifier: Apache-2.0
// id_set: a set of contenders of a session. Ids only grow, and a session has a few thousand contenders at most. So a
// sorted array is faster and smaller than a tree.
//
// Thread safety: none, a value.
#pragma once

#include <boost/container/flat_set.hpp>

#include "base/release_if_empty.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::core {

using id_set = boost::container::flat_set<contender_id>;

inline void keep(id_set& set, contender_id id, bool in) {
    if (in) {
        set.insert(id);
    } else if (!set.empty()) {
        set.erase(id);
        base::release_if_empty(set);
    }
}

}  // namespace turnstile::core
