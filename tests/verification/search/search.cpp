// SPDX-License-Identifier: Apache-2.0
#include "verification/search/search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "verification/search/position.hpp"
#include "verification/search/step.hpp"

namespace turnstile::search {

namespace {

using state_number = std::uint32_t;

// visited: all states in the order of discovery, each with the state and the step that first led to it. An
// open-addressing table has 4-byte indexes into an array of states. A state takes about 50 bytes in all.
class visited {
public:
    visited() : table_(1U << 16U, k_none) {}

    // Adds the state if it is new. Returns the state's number, and true if it is new.
    std::pair<state_number, bool> add(const position& position, state_number parent,
                                      const step& by) {
        if (states_.size() * 3 > table_.size() * 2) grow();
        auto& slot = slot_of(position);
        if (slot != k_none) return {slot, false};
        slot = static_cast<state_number>(states_.size());
        states_.push_back(position);
        origins_.push_back({parent, by});
        return {slot, true};
    }
    [[nodiscard]] state_number find(const position& position) { return slot_of(position); }

    [[nodiscard]] const position& operator[](state_number which) const { return states_[which]; }
    [[nodiscard]] state_number parent(state_number of) const { return origins_[of].parent; }
    [[nodiscard]] const step& by(state_number of) const { return origins_[of].by; }
    [[nodiscard]] std::size_t size() const noexcept { return states_.size(); }

private:
    static constexpr state_number k_none = UINT32_MAX;
    struct origin {
        state_number parent;
        step by;
    };

    state_number& slot_of(const position& position) {
        auto at = position.hash() & (table_.size() - 1);
        while (table_[at] != k_none && !(states_[table_[at]] == position))
            at = (at + 1) & (table_.size() - 1);
        return table_[at];
    }
    void grow() {
        table_.assign(table_.size() * 2, k_none);
        for (state_number number = 0; number != states_.size(); ++number)
            slot_of(states_[number]) = number;
    }

    std::vector<position> states_;
    std::vector<origin> origins_;
    std::vector<state_number> table_;
};

class explorer {
public:
    explicit explorer(const bounds& limits) : limits_{limits}, model_{limits} {}

    findings run();

private:
    void expand(state_number from);
    void fail(std::string breach, state_number from, const transition* last);
    void count_histories(state_number expanded);

    bounds limits_;
    model model_;
    visited known_;
    std::vector<std::uint32_t> arrivals_;  // for each state, the transitions that lead to it
    std::vector<transition> next_;
    findings found_;
};

findings explorer::run() {
    known_.add(model_.first(), 0, {});
    arrivals_.push_back(0);
    state_number at = 0;
    while (at != known_.size() && found_.breach.empty() && found_.depth != limits_.depth &&
           known_.size() < limits_.states) {
        const auto end =
            static_cast<state_number>(known_.size());  // the first state of the next depth
        for (; at != end && found_.breach.empty() && known_.size() < limits_.states; ++at)
            expand(at);
        if (known_.size() != end) ++found_.depth;
    }
    found_.complete = at == known_.size() && found_.breach.empty();
    found_.states = known_.size();
    found_.distinct_clients = model_.distinct_clients();
    found_.distinct_servers = model_.distinct_servers();
    if (found_.breach.empty()) count_histories(at);
    return std::move(found_);
}

void explorer::expand(state_number from) {
    const auto here = known_[from];
    model_.successors(here, next_);
    for (const auto& entry : next_) {
        if (auto wrong = model_.breach(here, entry); !wrong.empty())
            return fail(std::move(wrong), from, &entry);
        ++found_.transitions;
        ++found_.taken[static_cast<std::size_t>(entry.move.kind)];
        const auto [to, fresh] = known_.add(entry.to, from, entry.move);
        if (fresh) arrivals_.push_back(0);
        ++arrivals_[to];
    }
    if (!model::may_end(next_)) return;
    ++found_.ends;
    if (auto wrong = model_.breach_at_end(here); !wrong.empty())
        fail(std::move(wrong), from, nullptr);
}

void explorer::fail(std::string breach, state_number from, const transition* last) {
    found_.breach = std::move(breach);
    if (last != nullptr) found_.story.push_back(model_.describe(known_[from], *last));
    for (auto at = from; at != 0; at = known_.parent(at)) {
        found_.story.push_back(
            model_.describe(known_[known_.parent(at)], {known_.by(at), known_[at]}));
    }
    std::reverse(found_.story.begin(), found_.story.end());
}

// Counts the histories that lead to each state: the sum of the counts of the states before it, in topological order (A.
// Kahn, 1962). The search did not expand the states from `expanded` on.
void explorer::count_histories(state_number expanded) {
    std::vector<double> ways(known_.size(), 0);
    std::vector<state_number> ready{0};
    ways[0] = 1;
    std::size_t taken = 0;
    while (!ready.empty()) {
        const auto from = ready.back();
        ready.pop_back();
        ++taken;
        if (from >= expanded) {
            found_.cut_off += ways[from];
            continue;
        }
        model_.successors(known_[from], next_);
        if (model::may_end(next_)) found_.histories += ways[from];
        for (const auto& entry : next_) {
            const auto to = known_.find(entry.to);
            ways[to] += ways[from];
            if (--arrivals_[to] == 0) ready.push_back(to);
        }
    }
    found_.cycle = taken != known_.size();
    if (found_.cycle) found_.histories = 0;
}

std::string count(double number) {
    return number < 1e15 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

}  // namespace

findings search_all(const bounds& limits) {
    return explorer{limits}.run();
}

std::string findings::report() const {
    auto text = fmt::format("{} states, {} transitions, depth {}{}, {} end states, ", states,
                            transitions, depth, complete ? " (complete)" : " (cut off)", ends);
    if (cycle) {
        text += "histories without end";
    } else if (breach.empty()) {
        text += count(histories) + " terminal histories";
        if (!complete) text += ", " + count(cut_off) + " cut off";
    } else {
        text += "histories not counted";
    }
    text += fmt::format("\nof {} distinct clients and {} distinct servers\n", distinct_clients,
                        distinct_servers);
    for (std::size_t i = 0; i != taken.size(); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name_of(static_cast<act>(i)), taken[i]);
    }
    text += '\n';
    if (breach.empty()) return text;
    text += breach + "\nafter these " + std::to_string(story.size()) + " steps:\n";
    for (std::size_t i = 0; i != story.size(); ++i)
        text += fmt::format("{:4} {}\n", i + 1, story[i]);
    return text;
}

}  // namespace turnstile::search
