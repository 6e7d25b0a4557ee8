// SPDX-License-Identifier: Apache-2.0
#include "admin/api/orders.hpp"

#include <string>
#include <utility>

#include "admin/http/limits.hpp"
#include "admin/http/refusal.hpp"

namespace turnstile::admin {

std::uint64_t order_register::add(order_facts facts) {
    const std::lock_guard lock{mutex_};
    if (records_.size() >= k_most_takes)
        throw refusal{
            429, "too_many",
            "this server is carrying out " + std::to_string(k_most_takes) +
                " orders to release, and accepts no more; try again later, or cancel an order"};
    records_[++numbers_].facts = std::move(facts);
    return numbers_;
}

order_register::entry::entry(order_register& among, order_facts facts, std::stop_token end)
    : among_{among}, number_{among.add(std::move(facts))}, at_end_{std::move(end), [this] {
                                                                       source_.request_stop();
                                                                   }} {
    const std::lock_guard lock{among_.mutex_};
    among_.records_[number_].source = &source_;
}

order_register::entry::~entry() {
    const std::lock_guard lock{among_.mutex_};
    among_.records_.erase(number_);
}

std::optional<std::string> order_register::entry::cancelled_by() const {
    const std::lock_guard lock{among_.mutex_};
    return among_.records_.at(number_).cancelled_by;
}

void order_register::entry::set_at_most(std::chrono::milliseconds at_most) {
    const std::lock_guard lock{among_.mutex_};
    among_.records_.at(number_).facts.at_most = at_most;
}

std::vector<order_register::listed> order_register::list() const {
    const std::lock_guard lock{mutex_};
    std::vector<listed> all;
    for (const auto& [number, each] : records_) all.push_back({number, each.facts});
    return all;
}

bool order_register::cancel(std::uint64_t number, const std::string& by) {
    std::stop_source source{std::nostopstate};
    {
        const std::lock_guard lock{mutex_};
        const auto found = records_.find(number);
        if (found == records_.end() || found->second.source == nullptr) return false;
        found->second.cancelled_by = by;
        source = *found->second.source;
    }
    // request_stop() calls callbacks on this thread, so no mutex may be locked here.
    source.request_stop();
    return true;
}

}  // namespace turnstile::admin
