// SPDX-License-Identifier: Apache-2.0
// local_callers: the callers that share a contender, both waiters and holders, by their ids.
//
// Thread safety: a value under the shared_contender's lock.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "client/local_hold.hpp"
#include "core/composite/local_queue.hpp"

namespace turnstile::detail {

class local_callers {
public:
    void add(std::shared_ptr<local_hold> caller) {
        const auto place = place_of(caller->id());
        all_.insert(place, std::move(caller));
    }
    // Returns null if no caller has this id.
    [[nodiscard]] std::shared_ptr<local_hold> find(core::local_id id) const {
        const auto place = place_of(id);
        return place != all_.end() && (*place)->id() == id ? *place : nullptr;
    }
    // Returns what find() returns, and removes that caller.
    [[nodiscard]] std::shared_ptr<local_hold> take(core::local_id id) {
        auto caller = find(id);
        if (caller) all_.erase(place_of(id));
        return caller;
    }

private:
    // Callers join at the back and mostly leave at the front. A binary search is fast when many callers wait.
    [[nodiscard]] std::deque<std::shared_ptr<local_hold>>::const_iterator place_of(
        core::local_id id) const {
        return std::lower_bound(
            all_.begin(), all_.end(), id,
            [](const auto& caller, core::local_id wanted) { return caller->id() < wanted; });
    }

    std::deque<std::shared_ptr<local_hold>> all_;
};

}  // namespace turnstile::detail
