// SPDX-License-Identifier: Apache-2.0
#include "core/session/removal_queue.hpp"

#include <utility>

namespace turnstile::core {

void removal_queue::add(removal&& one) {
    on_their_way_.insert(one.path);
    waiting_.push_back(std::move(one));
}

std::vector<removal> removal_queue::take() {
    std::vector<removal> all;
    std::size_t bytes = 0;
    do {
        bytes += waiting_.front().path.size();
        all.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    } while (!waiting_.empty() && all.size() < limits_.together &&
             bytes + waiting_.front().path.size() <= k_most_removal_bytes);
    return all;
}

void removal_queue::clear() {
    under_way_.clear();
    waiting_.clear();
    on_their_way_.clear();
}

}  // namespace turnstile::core
