// SPDX-License-Identifier: Apache-2.0
// queue_index: a sorted list of a folder's children, for many contenders that need their position in it.
//
// decide() looks at every name for each contender. Where each contender waits for all contenders ahead (locks and
// latches) and the numbers determine the order, one sort is enough, and each contender needs one search. The
// answer equals decide()'s, or there is none; a property test compares the two. Refers to the names; a value otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"

namespace turnstile::core {

class queue_index {
public:
    queue_index(const std::vector<std::string>& children, contender_family family);

    [[nodiscard]] std::optional<decision> decide(const std::string& self) const;

private:
    contender_family family_;
    std::int32_t first_ = 0;  // any number of the queue; distances are relative to it
    // Distance and name, sorted. Empty if the numbers alone do not determine the order.
    std::vector<std::pair<std::int64_t, const std::string*>> line_;
    std::vector<contender_name> foreign_;  // contenders of other families
};

// A list that several contenders share: makes an index for a family when a contender of that family needs it. Refers to
// the names.
class prepared_list {
public:
    explicit prepared_list(const std::vector<std::string>& children) : children_{children} {}
    [[nodiscard]] const queue_index* of(contender_family family) {
        const auto found = indexes_.find(family);
        if (found != indexes_.end()) return &found->second;
        return &indexes_.emplace(family, queue_index{children_, family}).first->second;
    }

private:
    const std::vector<std::string>& children_;
    std::map<contender_family, queue_index> indexes_;
};

}  // namespace turnstile::core
