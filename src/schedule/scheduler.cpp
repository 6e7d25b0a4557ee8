// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.hpp"

#include <execinfo.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "schedule/real.hpp"

namespace turnstile::schedule {

namespace {

constexpr std::int64_t k_step = 1'000;   // each step takes a microsecond
constexpr std::uint32_t k_fairness = 5;  // with a run that is so many times longer than expected

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

scheduler::scheduler(plan how, record& into, endurance lasts)
    : plan_{std::move(how)},
      record_{into},
      lasts_{lasts},
      now_{process_clock::k_start},
      chance_{plan_.seed},
      bytes_{1} {
    if (plan_.how == plan::kind::priorities) {
        for (std::uint32_t i = 1; i < plan_.depth; ++i)
            changes_.push_back(static_cast<std::uint32_t>(chance_() % plan_.length));
    }
    real::keep_locks();
    real::keep_time();
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
    if (at_end_) at_end_();
    ::_exit(0);
}

// ---- scheduling points ----------------------------------------------------------------------

bool scheduler::can_go_on(std::size_t number) const {
    return has_what_it_wants(*threads_[number]) && may_go_on(number);
}

bool scheduler::may_go_on(std::size_t number) const {
    const auto& mine = processes_[threads_[number]->process];
    if (!mine.over && mine.stands_until <= now_) return true;
    return std::any_of(owners_.begin(), owners_.end(), [&](const auto& taken) {
        if (taken.second != number) return false;
        const auto used = users_.find(taken.first);
        return used != users_.end() && used->second == k_several;
    });
}

bool scheduler::has_what_it_wants(const thread& candidate) const {
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
        if (can_go_on(i)) enabled |= bit(i);
    return enabled;
}

// No thread can go on: the earliest deadline comes. False if there is none.
bool scheduler::pass_time() {
    auto earliest = k_never;
    for (const auto& candidate : threads_)
        if (candidate->wants != operation::over && !candidate->late)
            earliest = std::min(earliest, candidate->deadline);
    for (const auto& each : processes_)
        if (!each.over && each.stands_until > now_)
            earliest = std::min(earliest, each.stands_until);
    if (earliest == k_never) return false;
    now_ = std::max(now_, earliest);
    mark_late();
    return true;
}

void scheduler::mark_late() {
    for (const auto& candidate : threads_)
        if (candidate->wants != operation::over && candidate->deadline <= now_)
            candidate->late = true;
}

void scheduler::end_in_deadlock() {
    std::string text = "nobody can go on:";
    for (std::size_t i = 0; i != threads_.size(); ++i)
        if (threads_[i]->wants != operation::over)
            text += fmt::format(" {} {};", i, name_of(threads_[i]->wants));
    end(verdict::deadlock, text.c_str());
}

void scheduler::point(operation operation, std::uintptr_t object, std::uintptr_t caller) {
    me().wants = operation;
    me().object = object;
    auto& here = record_.threads[current_];
    here.wants = operation;
    here.process = process();
    here.caller = caller;
    now_ += k_step;
    // In a run that goes on for long, a thread that never waits is not to stop the time of all others.
    if (lasts_ == endurance::endless) mark_late();
    auto enabled = who_can();
    while (enabled == 0) {
        if (!pass_time()) end_in_deadlock();
        enabled = who_can();
    }
    if (lasts_ == endurance::bounded && record_.steps == k_most_steps)
        end(verdict::livelock, "too many steps");
    auto& now = record_.trace[record_.steps % k_most_steps];
    now = {operation, current_, 0, enabled, object, caller};
    now.chosen = pick(enabled);
    ++record_.steps;
    record_.mix(static_cast<std::uint64_t>(now_));
    record_.mix(now.chosen);
    record_.true_time = true_time();
    if (now.chosen == current_) return;
    if (record_.wants_stacks) take_stack(here);
    hand_over(now.chosen);
}

// The unwinder takes locks of the system's own.
void scheduler::take_stack(standing& of) {
    std::array<void*, k_most_frames> frames{};
    const bool mine = std::exchange(t_mine, false);
    const auto count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    t_mine = mine;
    of.stack = {};
    for (std::size_t i = 0; i != static_cast<std::size_t>(count); ++i)
        of.stack.at(i) = reinterpret_cast<std::uintptr_t>(frames.at(i));
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
        const bool fair = record_.steps > k_fairness * plan_.length;
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
    ask_for(mutex);
    point(operation::lock, mutex, caller);
    take(mutex);
}

// Another object may lie where one has been: then it is taken for shared by more processes than it is, and a thread
// that has it goes on until it has let it go.
void scheduler::ask_for(std::uintptr_t mutex) {
    if (processes_.size() == 1) return;
    const auto [used, first] = users_.try_emplace(mutex, process());
    if (!first && used->second != process()) used->second = k_several;
}

bool scheduler::try_lock(std::uintptr_t mutex, std::uintptr_t caller) {
    ask_for(mutex);
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
    mine.deadline = true_deadline(deadline);
    mine.woken = mine.late = false;
    mine.order = ++waits_;
    point(deadline == k_never ? operation::wait : operation::timed_wait, condition, caller);
    take(mutex);
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
    mine.deadline = true_deadline(deadline);
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

// A run that has an end gives each thread a number of its own.
std::uint8_t scheduler::add_thread() {
    auto added = std::make_unique<thread>();
    added->priority = 1 + static_cast<std::int64_t>(chance_() % 1'000'000);
    if (!threads_.empty()) added->process = process();
    const auto number = lasts_ == endurance::endless ? free_number() : threads_.size();
    if (number == k_most_threads) end(verdict::livelock, "too many threads");
    if (number == threads_.size()) {
        threads_.push_back(std::move(added));
    } else {
        former_.push_back(std::exchange(threads_[number], std::move(added)));
    }
    return static_cast<std::uint8_t>(number);
}

// That of a thread which goes on no more.
std::size_t scheduler::free_number() const {
    for (std::size_t i = 0; i != threads_.size(); ++i) {
        const bool awaited = std::any_of(threads_.begin(), threads_.end(), [i](const auto& each) {
            return each->wants == operation::join && each->target == i;
        });
        const bool ended = threads_[i]->wants == operation::over;
        const bool lost = processes_[threads_[i]->process].over && !may_go_on(i);
        if (i != current_ && !awaited && (ended || lost)) return i;
    }
    return threads_.size();
}

std::uint8_t scheduler::add_process(std::string_view name, const process_clock& clock) {
    const auto number = processes_.size();
    if (number == k_most_processes) end(verdict::livelock, "too many processes");
    name.copy(record_.process_names[number].data(), k_most_name - 1);
    processes_.push_back({clock});
    return static_cast<std::uint8_t>(number);
}

void scheduler::stop(std::uint8_t process, std::int64_t length) {
    auto& stands_until = processes_[process].stands_until;
    stands_until = std::max(stands_until, now_ + length);
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
    mine.deadline = true_deadline(deadline);
    mine.late = false;
    point(operation, 0, caller);
    const bool is_ready = mine.ready && mine.ready();
    mine.ready = nullptr;
    mine.deadline = k_never;
    mine.late = false;
    return is_ready;
}

}  // namespace turnstile::schedule
