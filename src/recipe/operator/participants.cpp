// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/participants.hpp"

#include <utility>

#include "recipe/operator/participant_text.hpp"

namespace turnstile::detail {

namespace {

participant describe(const contender& entry) {
    participant result;
    auto own = parse_participant(entry.metadata.text);
    result.id = std::move(own.id);
    result.data = std::move(own.data);
    result.leads = entry.position == 0;
    result.znode = entry.name;
    result.token = entry.token;
    result.session_id = entry.session_id;
    result.since = entry.created;
    return result;
}

}  // namespace

result<std::vector<participant>> participants(const queue_lock& queue,
                                              const query_options& options) {
    const auto all = queue.queue(options);
    if (!all) return all.error();
    std::vector<participant> participants;
    for (const auto& entry : *all) participants.push_back(describe(entry));
    return participants;
}

result<std::optional<participant>> first_participant(const queue_lock& queue,
                                                     const query_options& options) {
    const auto head = queue.head(options);
    if (head.has_error()) return head.error();
    if (!*head) return std::optional<participant>{};
    return std::optional{describe(**head)};
}

}  // namespace turnstile::detail
