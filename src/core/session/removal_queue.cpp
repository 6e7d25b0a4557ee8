// SPDX-License-Identifier: Apache-2.0
#include "core/session/removal_queue.hpp"

#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

void removal_queue::add(removal&& added) {
    on_their_way_.insert(added.path);
    auto& some = added.awaited ? awaited_ : waiting_;
    some.push_back(std::move(added));
}

std::vector<removal> removal_queue::take() {
    auto& from = awaited_.empty() ? waiting_ : awaited_;
    TURNSTILE_CHECK(!from.empty());
    std::vector<removal> all;
    std::size_t bytes = 0;
    do {
        bytes += from.front().path.size();
        all.push_back(std::move(from.front()));
        from.pop_front();
    } while (!from.empty() && all.size() < limits_.together &&
             bytes + from.front().path.size() <= k_most_removal_bytes);
    return all;
}

operation removal_request(const std::vector<removal>& all) {
    TURNSTILE_CHECK(!all.empty());
    if (all.size() == 1) return remove_op{all.front().path};
    multi_op together;
    for (const auto& each : all) together.parts.emplace_back(remove_op{each.path});
    return together;
}

}  // namespace turnstile::core
