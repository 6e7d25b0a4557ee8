// SPDX-License-Identifier: Apache-2.0
// Second looks of the acquisitions that wait for events (acquisition_looks.cpp): with each confirmation interval a
// few of them, in turn.
//
// First come those that are next in line, and holds: whoever is behind them goes on when they do. But an event that
// one further back has lost stops those behind it, too. In turn, since a crowd would cost what watches save: with
// the defaults of 30 s each of up to 64 that are next in line is looked at every 6 s, and of 1,000 that wait
// further back each within 6.5 minutes.
#include <vector>

#include "core/session/session_context.hpp"

namespace turnstile::core {

namespace {

constexpr std::size_t k_most_in_line = 64;  // looked at in one interval
constexpr std::size_t k_most_behind = 16;

}  // namespace

std::optional<time_point> session_core::look_due() const {
    if (!attached_ || closing_ || acquisitions_.empty()) return std::nullopt;
    return looked_at_ + confirm_interval();  // place: look_is_due
}

void session_core::look_again() {
    looked_at_ = now_;
    look_at_some([](const acquisition& one) { return one.next_in_line(); }, k_most_in_line,
                 looked_in_line_);
    look_at_some([](const acquisition& one) { return !one.next_in_line(); }, k_most_behind,
                 looked_behind_);
}

template <class F>
void session_core::look_at_some(F&& of_these, std::size_t most, acquisition_id& last) {
    std::vector<acquisition_id> chosen;
    auto at = acquisitions_.upper_bound(last);
    for (auto left = acquisitions_.size(); left != 0 && chosen.size() != most; --left, ++at) {
        if (at == acquisitions_.end()) at = acquisitions_.begin();
        const auto& one = at->second.value;
        if (one.rests_on_events() && of_these(one)) chosen.push_back(at->first);
    }
    for (const auto who : chosen) {
        last = who;
        with(who, [](acquisition& one, acquisition_context& c) { one.look_again(c); });
    }
}

}  // namespace turnstile::core
