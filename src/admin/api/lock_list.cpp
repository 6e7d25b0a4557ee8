// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "admin/api/lock_filter.hpp"
#include "admin/api/lock_words.hpp"
#include "admin/api/meta.hpp"
#include "admin/api/overview.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

constexpr number_range k_offsets{.least = 0, .most = 10'000'000};
constexpr std::size_t k_shown = 3;  // holders, and as many waiters

lock_order order_of(const std::string& word) {
    if (word == "contended") return lock_order::contended;
    if (word == "path") return lock_order::path;
    if (word == "held") return lock_order::held;
    throw refusal{400, "bad_request", "sort is " + word + ": expected contended, path or held"};
}

lock_filter filter_of(const query& asked) {
    lock_filter filter;
    filter.prefix = asked.text("prefix").value_or("");
    filter.holder = asked.text("holder").value_or("");
    const auto kind = asked.text("kind").value_or("");
    if (!kind.empty()) filter.kind = lock_kind_named(kind);
    filter.order = order_of(asked.text("sort").value_or("contended"));
    return filter;
}

}  // namespace

json lock_list(site& at, const query& asked) {
    const auto filter = filter_of(asked);
    const auto offset = asked.number("offset", 0, k_offsets);
    const auto limit = page_size(asked);
    const auto seen = at.reading.look();
    const auto& shown = required(seen);
    const auto places = chosen_locks(shown, filter);
    auto locks = json::array();
    for (auto i = offset; i < std::min<std::size_t>(offset + limit, places.size()); ++i)
        locks.push_back(lock_json(shown, places[i], clock_of(seen), k_shown));
    return {{"total", places.size()},
            {"offset", offset},
            {"limit", limit},
            {"locks", std::move(locks)},
            {"unreadable", shown.survey.unreadable},
            {"meta", meta_of(seen)}};
}

}  // namespace turnstile::admin
