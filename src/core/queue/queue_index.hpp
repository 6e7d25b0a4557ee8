// SPDX-License-Identifier: Apache-2.0
// queue_index: a sorted list of a folder's children, from which many contenders look up their positions.
//
// decide() in queue_rule.hpp reads every name for each contender. Contenders for locks and latches wait for all
// contenders ahead, so a search in one sorted list finds each predecessor. The index gives the same answer as
// decide() of queue_rule.hpp, or no answer if the numbers do not determine the order. A queue_index refers to the names
// in `children`.
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
    std::int32_t first_ = 0;  // some number of the queue; distances are relative to it
    // Each entry has the distance of a contender's number from a common start, and the contender's name. The entries
    // are sorted. There is no entry if the numbers alone do not determine the order.
    std::vector<std::pair<std::int64_t, const std::string*>> line_;
    std::vector<contender_name> foreign_;  // contenders of other families
};

// A list of children that several contenders share. Makes an index for a family as soon as a contender of that family
// needs one. Refers to the names in `children`.
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
