// SPDX-License-Identifier: Apache-2.0
// queue_index: one list of a folder's children, prepared for many contenders that ask where they stand in it.
//
// decide() looks at every name for each of them. Where each waits for all that are ahead (locks and latches) and
// the numbers alone tell the order, sorting once answers each with a search. It says what decide() says, or nothing:
// the property test holds it to that. Refers to the names; a value otherwise.
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
    std::int32_t first_ = 0;  // any number of the queue: the others are counted from it
    // Distance and name, sorted; empty where the order needs more than the numbers.
    std::vector<std::pair<std::int64_t, const std::string*>> line_;
    std::vector<contender_name> foreign_;  // contenders of other families
};

// The answer to a list that several contenders share: an index for each family that asks. Refers to the names.
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
