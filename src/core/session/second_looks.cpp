// SPDX-License-Identifier: Apache-2.0
#include "core/session/second_looks.hpp"

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"

namespace turnstile::core {

namespace {

constexpr std::size_t k_most_in_line = 64;  // contenders that read again in one interval
constexpr std::size_t k_most_behind = 16;

}  // namespace

std::vector<contender_id> second_looks::take(const contender_table& contenders, bool in_line,
                                             std::size_t most, contender_id& latest) {
    std::vector<contender_id> chosen;
    const auto& all = contenders.all();
    auto at = all.upper_bound(latest);
    for (auto left = all.size(); left != 0 && chosen.size() != most; --left, ++at) {
        if (at == all.end()) at = all.begin();
        const auto& contender = at->second.value;
        if (contender.rests_on_events() && holds_or_has_one_ahead(contender.current()) == in_line)
            chosen.push_back(at->first);
    }
    TURNSTILE_CHECK(chosen.size() <= most);
    if (!chosen.empty()) latest = chosen.back();
    return chosen;
}

std::vector<contender_id> second_looks::take_in_line(const contender_table& contenders) {
    return take(contenders, true, k_most_in_line, latest_in_line_);
}

std::vector<contender_id> second_looks::take_further_back(const contender_table& contenders) {
    return take(contenders, false, k_most_behind, latest_further_back_);
}

}  // namespace turnstile::core
