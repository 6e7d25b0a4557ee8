// SPDX-License-Identifier: Apache-2.0
#include "admin/api/aged_json.hpp"

#include <algorithm>
#include <chrono>

#include "admin/http/refusal.hpp"

namespace turnstile::admin {

const snapshot& required(const view& seen) {
    if (!seen.seen)
        throw refusal{503, "no_snapshot",
                      "turnstile serve has not read the locks yet: " + seen.problem};
    return *seen.seen;
}

wall_time servers_now(const view& seen) {
    return std::chrono::system_clock::now() + seen.clock_ahead;
}

wall_time clock_of(const view& seen) {
    return seen.stale && seen.seen ? seen.seen->as_of : servers_now(seen);
}

std::int64_t age_ms(wall_time since, wall_time now) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - since);
    return std::max<std::int64_t>(age.count(), 0);
}

json meta_of(const view& seen) {
    const auto& shown = required(seen);
    return {{"as_of", utc(shown.as_of)},
            {"age_ms", age_ms(shown.as_of, servers_now(seen))},
            {"stale", seen.stale},
            {"reading_ms", shown.reading.count()},
            {"oldest_ms", shown.oldest.count()}};
}

json aged(const contender& each, wall_time now) {
    auto result = json_of(each);
    result["age_ms"] = age_ms(each.created, now);
    return result;
}

json aged(const std::vector<contender>& contenders, wall_time now, std::size_t most) {
    auto all = json::array();
    for (const auto& each : contenders) {
        if (all.size() == most) break;
        all.push_back(aged(each, now));
    }
    return all;
}

json lock_json(const snapshot& seen, std::size_t place, wall_time now, std::size_t most) {
    const auto& lock = seen.survey.locks[place];
    json result{
        {"path", lock.path}, {"kind", to_string(lock.kind)}, {"contenders", lock.contenders}};
    result["permits"] = lock.permits ? json(*lock.permits) : json(nullptr);
    result["holders_total"] = lock.holders.size();
    result["waiters_total"] = waiters_of(lock);
    result["holders"] = aged(lock.holders, now, most);
    result["waiters"] = aged(lock.waiters, now, most);
    const auto since = seen.held_since[place];
    result["held_for_ms"] = since ? json(age_ms(*since, now)) : json(nullptr);
    result["waited_ms"] =
        lock.waiters.empty() ? json(nullptr) : json(age_ms(lock.waiters.front().created, now));
    return result;
}

}  // namespace turnstile::admin
