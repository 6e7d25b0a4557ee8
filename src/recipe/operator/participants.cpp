// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/participants.hpp"

#include <utility>

namespace turnstile::detail {

namespace {

participant describe(const contender& one) {
    participant made;
    made.id = one.metadata.text;
    made.leads = one.position == 0;
    made.znode = one.name;
    made.token = one.token;
    made.session_id = one.session_id;
    made.since = one.created;
    return made;
}

}  // namespace

result<std::vector<participant>> participants(const queue_lock& queue,
                                              const query_options& options) {
    const auto all = queue.queue(options);
    if (!all) return all.error();
    std::vector<participant> made;
    for (const auto& one : *all) made.push_back(describe(one));
    return made;
}

result<std::optional<participant>> first_participant(const queue_lock& queue,
                                                     const query_options& options) {
    const auto head = queue.head(options);
    if (!head) return head.error();
    if (!*head) return std::optional<participant>{};
    return std::optional{describe(**head)};
}

}  // namespace turnstile::detail
