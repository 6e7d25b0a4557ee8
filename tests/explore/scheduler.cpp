// SPDX-License-Identifier: Apache-2.0
#include "explore/scheduler.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "explore/real.hpp"

namespace turnstile::explore {

namespace {

constexpr std::int64_t k_start = 1'000'000'000'000'000;  // of all clocks
constexpr std::int64_t k_step = 1'000;                   // each step takes a microsecond
constexpr std::uint32_t k_patience = 5;  // with a run that is so many times longer than expected

scheduler* the_one = nullptr;
thread_local bool t_mine = false;

std::uint64_t bit(std::size_t thread) noexcept {
    return std::uint64_t{1} << thread;
}

}  // namespace

const char* name_of(operation operation) noexcept {
    switch (operation) {
        case operation::begin: return "begins";
        case operation::lock: return "locks";
        case operation::unlocked: return "unlocked";
        case operation::wait: return "waits";
        case operation::timed_wait: return "waits for a time";
        case operation::notified: return "notified";
        case operation::created: return "started a thread";
        case operation::join: return "joins";
        case operation::poll: return "polls";
        case operation::futex: return "waits for a word";
        case operation::yield: return "yields";
        case operation::sleep: return "sleeps";
        case operation::over: return "ends";
    }
    return "?";
}

scheduler* scheduler::of_this_thread() noexcept {
    return t_mine ? the_one : nullptr;
}

scheduler::scheduler(plan how, record& into)
    : plan_{std::move(how)}, record_{into}, now_{k_start}, chance_{plan_.seed}, bytes_{1} {
    if (plan_.how == plan::kind::priorities) {
        for (std::uint32_t i = 1; i < plan_.depth; ++i)
            changes_.push_back(static_cast<std::uint32_t>(chance_() % plan_.length));
    }
    threads_.reserve(k_most_threads);  // a new one looks itself up before it has its first turn
    add_thread();
    the_one = this;
    t_mine = true;
}

scheduler::~scheduler() {
    the_one = nullptr;
    t_mine = false;
}

void scheduler::end(verdict result, const char* text) noexcept {
    t_mine = false;
    record_.result = result;
    std::strncpy(record_.text.data(), text, record_.text.size() - 1);
    ::_exit(0);
}

// ---- scheduling points ----------------------------------------------------------------------

bool scheduler::can_go_on(const thread& candidate) const {
    switch (candidate.wants) {
        case operation::lock: return is_free(candidate.object);
        case operation::wait:
        case operation::timed_wait:
            return (candidate.woken || candidate.late) && is_free(candidate.mutex);
        case operation::join: return threads_[candidate.target]->wants == operation::over;
        case operation::futex: return candidate.woken || candidate.late;
        case operation::poll:
        case operation::sleep: return candidate.late || (candidate.ready && candidate.ready());
        case operation::over: return false;
        case operation::begin:
        case operation::unlocked:
        case operation::notified:
        case operation::created:
        case operation::yield: return true;
    }
    return true;
}

std::uint64_t scheduler::who_can() const {
    std::uint64_t enabled = 0;
    for (std::size_t i = 0; i != threads_.size(); ++i)
        if (can_go_on(*threads_[i])) enabled |= bit(i);
    return enabled;
}

// No thread can go on: the earliest deadline comes.
std::uint64_t scheduler::pass_time() {
    auto earliest = k_never;
    for (const auto& candidate : threads_)
        if (candidate->wants != operation::over && !candidate->late)
            earliest = std::min(earliest, candidate->deadline);
    if (earliest == k_never) return 0;
    now_ = std::max(now_, earliest);
    for (const auto& candidate : threads_)
        if (candidate->wants != operation::over && candidate->deadline <= now_)
            candidate->late = true;
    return who_can();
}

void scheduler::point(operation operation, std::uintptr_t object, std::uintptr_t caller) {
    me().wants = operation;
    me().object = object;
    now_ += k_step;
    auto enabled = who_can();
    while (enabled == 0) {
        const auto before = now_;
        enabled = pass_time();
        if (enabled == 0 && now_ == before) {
            std::string name;
            for (std::size_t i = 0; i != threads_.size(); ++i)
                if (threads_[i]->wants != operation::over)
                    name += fmt::format(" {} {};", i, name_of(threads_[i]->wants));
            end(verdict::deadlock, ("nobody can go on:" + name).c_str());
        }
    }
    if (record_.steps == k_most_steps) end(verdict::livelock, "too many steps");
    auto& now = record_.trace[record_.steps];
    now = {operation, current_, 0, enabled, object, caller};
    now.chosen = pick(enabled);
    ++record_.steps;
    if (now.chosen != current_) hand_over(now.chosen);
}

std::uint8_t scheduler::after_current(std::uint64_t enabled) const {
    if ((enabled & bit(current_)) != 0) return current_;
    for (std::size_t i = 1; i <= threads_.size(); ++i) {
        const auto next = (current_ + i) % threads_.size();
        if ((enabled & bit(next)) != 0) return static_cast<std::uint8_t>(next);
    }
    return current_;
}

std::uint8_t scheduler::pick_by_priority(std::uint64_t enabled) {
    if (std::find(changes_.begin(), changes_.end(), record_.steps) != changes_.end())
        me().priority = --lowest_;
    if (me().wants == operation::yield) me().priority = --lowest_;  // it waits for another thread
    std::size_t best = k_most_threads;
    for (std::size_t i = 0; i != threads_.size(); ++i) {
        const bool can = (enabled & bit(i)) != 0;
        if (can && (best == k_most_threads || threads_[i]->priority > threads_[best]->priority))
            best = i;
    }
    return static_cast<std::uint8_t>(best);
}

std::uint8_t scheduler::pick_by_chance(std::uint64_t enabled) {
    auto nth = chance_() % static_cast<std::uint64_t>(std::popcount(enabled));
    for (; nth != 0; --nth) enabled &= enabled - 1;
    return static_cast<std::uint8_t>(std::countr_zero(enabled));
}

std::uint8_t scheduler::pick(std::uint64_t enabled) {
    if (plan_.how == plan::kind::priorities) {
        // A thread that goes round for ever is not to keep all others from their turns.
        const bool fair = record_.steps > k_patience * plan_.length;
        return fair ? pick_by_chance(enabled) : pick_by_priority(enabled);
    }
    if (plan_.how == plan::kind::walk)
        return chance_() % plan_.depth == 0 ? pick_by_chance(enabled) : after_current(enabled);
    const auto& all = plan_.deviations;
    if (next_deviation_ < all.size() && all[next_deviation_].at == record_.steps) {
        const auto wanted = all[next_deviation_++].thread;
        if ((enabled & bit(wanted)) != 0) return wanted;
    }
    if (me().wants == operation::yield && (enabled & ~bit(current_)) != 0)
        return after_current(enabled & ~bit(current_));
    return after_current(enabled);
}

void scheduler::hand_over(std::uint8_t to) {
    ++record_.switches;
    auto& mine = me();
    current_ = to;
    real::give_turn(threads_[to]->turn);
    if (mine.wants != operation::over) real::await_turn(mine.turn);
}

// ---- what threads want ----------------------------------------------------------------------

void scheduler::lock(std::uintptr_t mutex, std::uintptr_t caller) {
    point(operation::lock, mutex, caller);
    owners_[mutex] = current_;
}

bool scheduler::try_lock(std::uintptr_t mutex, std::uintptr_t caller) {
    point(operation::yield, mutex, caller);
    return owners_.try_emplace(mutex, current_).second;
}

void scheduler::unlock(std::uintptr_t mutex, std::uintptr_t caller) {
    owners_.erase(mutex);
    point(operation::unlocked, mutex, caller);
}

bool scheduler::wait(std::uintptr_t condition, std::uintptr_t mutex, std::int64_t deadline,
                     std::uintptr_t caller) {
    auto& mine = me();
    owners_.erase(mutex);
    mine.mutex = mutex;
    mine.deadline = deadline;
    mine.woken = mine.late = false;
    mine.order = ++waits_;
    point(deadline == k_never ? operation::wait : operation::timed_wait, condition, caller);
    owners_[mutex] = current_;
    mine.deadline = k_never;
    mine.late = false;
    return mine.woken;
}

void scheduler::notify(std::uintptr_t condition, bool all, std::uintptr_t caller) {
    std::vector<thread*> waiting;
    for (const auto& candidate : threads_) {
        const bool waits =
            candidate->wants == operation::wait || candidate->wants == operation::timed_wait;
        if (waits && candidate->object == condition && !candidate->woken)
            waiting.push_back(candidate.get());
    }
    std::sort(waiting.begin(), waiting.end(),
              [](const thread* a, const thread* b) { return a->order < b->order; });
    if (!all && waiting.size() > 1) waiting.resize(1);
    for (auto* candidate : waiting) candidate->woken = true;
    if (!waiting.empty()) point(operation::notified, condition, caller);
}

bool scheduler::wait_for_wake(std::uintptr_t word, std::int64_t deadline, std::uintptr_t caller) {
    auto& mine = me();
    mine.deadline = deadline;
    mine.woken = mine.late = false;
    mine.order = ++waits_;
    point(operation::futex, word, caller);
    mine.deadline = k_never;
    mine.late = false;
    return mine.woken;
}

int scheduler::wake(std::uintptr_t word, int most, std::uintptr_t caller) {
    int woken = 0;
    for (; woken < most; ++woken) {
        thread* first = nullptr;
        for (const auto& candidate : threads_) {
            if (candidate->wants != operation::futex || candidate->object != word ||
                candidate->woken)
                continue;
            if (first == nullptr || candidate->order < first->order) first = candidate.get();
        }
        if (first == nullptr) break;
        first->woken = true;
    }
    point(operation::yield, word, caller);
    return woken;
}

std::uint8_t scheduler::add_thread() {
    if (threads_.size() == k_most_threads) end(verdict::livelock, "too many threads");
    threads_.push_back(std::make_unique<thread>());
    threads_.back()->priority = 1 + static_cast<std::int64_t>(chance_() % 1'000'000);
    return static_cast<std::uint8_t>(threads_.size() - 1);
}

void scheduler::enter(std::uint8_t number) {
    real::await_turn(threads_[number]->turn);
    t_mine = true;  // not before: until then others run
}

void scheduler::leave() {
    t_mine = false;
    point(operation::over, 0, 0);
}

void scheduler::join(std::uint8_t number, std::uintptr_t caller) {
    me().target = number;
    point(operation::join, 0, caller);
}

bool scheduler::wait_until(operation operation, std::function<bool()> ready, std::int64_t deadline,
                           std::uintptr_t caller) {
    auto& mine = me();
    mine.ready = std::move(ready);
    mine.deadline = deadline;
    mine.late = false;
    point(operation, 0, caller);
    const bool is_ready = mine.ready && mine.ready();
    mine.ready = nullptr;
    mine.deadline = k_never;
    mine.late = false;
    return is_ready;
}

}  // namespace turnstile::explore
