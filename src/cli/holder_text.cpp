// SPDX-License-Identifier: Apache-2.0
#include "cli/holder_text.hpp"

#include <optional>

#include "cli/survey_text.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::cli {
namespace {

lock_kind kind_of_queue(wanted_kind kind) {
    switch (kind) {
        case wanted_kind::mutex: return lock_kind::mutex;
        case wanted_kind::permits: return lock_kind::semaphore;
        case wanted_kind::shared:
        case wanted_kind::exclusive: break;
    }
    return lock_kind::shared_mutex;
}

// Returns the holder at the path. Skips the znode of this run: after a failed try, the client removes that znode in the
// background, so the queue may still contain it.
std::optional<contender> holder_at(const client& servers, const std::string& path,
                                   const run_options& options) {
    const auto found =
        locks_at(servers, path, {.timeout = options.servers.connect_timeout, .most_read = 1});
    if (!found) return std::nullopt;
    for (const auto& lock : *found)
        if (lock.kind == kind_of_queue(options.kind) && !lock.holders.empty() &&
            lock.holders.front().session_id != servers.session().id)
            return lock.holders.front();
    return std::nullopt;
}

}  // namespace

std::string holder_text(const client& servers, const run_options& options) {
    std::string text;
    for (const auto& path : options.paths) {
        const auto holder = holder_at(servers, path, options);
        if (!holder) continue;
        text += options.paths.size() == 1 ? "; held by " : "; " + path + " is held by ";
        text += identity_of(*holder);
        if (const auto& since = holder->metadata.since; !since.empty()) text += ", since " + since;
    }
    return text;
}

}  // namespace turnstile::cli
