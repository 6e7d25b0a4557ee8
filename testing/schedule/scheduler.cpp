// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include <execinfo.h>
#include <fmt/core.h>
#include <unistd.h>

#include "schedule/real.hpp"

namespace turnstile::schedule {

namespace {

constexpr std::int64_t k_step = 1'000;  // virtual time of a step, in ns

scheduler* the_one = nullptr;
thread_local bool t_mine = false;

}  // namespace

scheduler* scheduler::of_this_thread() noexcept {
    return t_mine ? the_one : nullptr;
}

scheduler::scheduler(plan how, record& into, endurance lasts)
    : choice_{std::move(how)}, record_{into}, lasts_{lasts} {
    real::keep_locks();
    real::keep_time();
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
    if (record_.wants_stacks) take_stack(record_.threads[current_]);
    for (std::size_t i = 0; i != threads_.size(); ++i)
        if (threads_[i]->wants == operation::lock)
            record_.threads[i].awaits = mutexes_.owner_of(threads_[i]->object);
    std::fflush(nullptr);
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
    return mutexes_.holds_up_others(number);
}

bool scheduler::has_what_it_wants(const thread& candidate) const {
    switch (candidate.wants) {
        case operation::lock: return mutexes_.is_free(candidate.object) || candidate.late;
        case operation::wait:
        case operation::timed_wait:
            return (candidate.woken || candidate.late) && mutexes_.is_free(candidate.mutex);
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

thread_set scheduler::who_can() const {
    thread_set enabled;
    for (std::size_t i = 0; i != threads_.size(); ++i)
        if (can_go_on(i)) enabled.set(i);
    return enabled;
}

// Called when no thread can continue. Advances the time to the earliest deadline, and returns false if there is none.
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
    // In an endless run, a thread that never waits must not keep other threads from continuing at their deadlines.
    if (lasts_ == endurance::endless) mark_late();
    auto enabled = who_can();
    while (enabled.none()) {
        if (!pass_time()) end_in_deadlock();
        enabled = who_can();
    }
    if (lasts_ == endurance::bounded && record_.steps == k_most_steps)
        end(verdict::livelock, "too many steps");
    auto& now = record_.trace[record_.steps % k_most_steps];
    now = {operation, current_, 0, enabled, object, caller};
    now.chosen = choice_.pick({enabled, record_.steps, current_, me().wants == operation::yield});
    ++record_.steps;
    record_.mix(static_cast<std::uint64_t>(now_));
    record_.mix(now.chosen);
    record_.true_time = true_time();
    if (now.chosen == current_) return;
    if (record_.wants_stacks) take_stack(here);
    hand_over(now.chosen);
}

// The unwinder locks mutexes of the system libraries. The scheduler must not see these mutexes, so backtrace() runs
// while the thread counts as outside of the run.
void scheduler::take_stack(standing& of) {
    std::array<void*, k_most_frames> frames{};
    const bool mine = std::exchange(t_mine, false);
    const auto count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    t_mine = mine;
    of.stack = {};
    for (std::size_t i = 0; i != static_cast<std::size_t>(count); ++i)
        of.stack.at(i) = reinterpret_cast<std::uintptr_t>(frames.at(i));
}

void scheduler::hand_over(std::uint8_t to) {
    ++record_.switches;
    auto& mine = me();
    current_ = record_.current = to;
    real::give_turn(threads_[to]->turn);
    if (mine.wants == operation::over) return;
    real::await_turn(mine.turn);
    await_end_of_last();
}

// Waits until the system has ended the thread that left last, and freed its memory. Only then may the next thread
// continue.
void scheduler::await_end_of_last() noexcept {
    if (const int left = std::exchange(ended_, 0); left != 0) real::await_end(left);
}

// ---- operations of threads ------------------------------------------------------------------

bool scheduler::lock_until(std::uintptr_t mutex, std::int64_t deadline, std::uintptr_t caller) {
    ask_for(mutex);
    auto& mine = me();
    mine.deadline = true_deadline(deadline);
    mine.late = false;
    point(operation::lock, mutex, caller);
    mine.deadline = k_never;
    mine.late = false;
    return mutexes_.try_to_take(mutex, current_);
}

void scheduler::ask_for(std::uintptr_t mutex) {
    if (processes_.size() != 1) mutexes_.ask(mutex, process());
}

bool scheduler::try_lock(std::uintptr_t mutex, std::uintptr_t caller) {
    ask_for(mutex);
    point(operation::yield, mutex, caller);
    return mutexes_.try_to_take(mutex, current_);
}

void scheduler::unlock(std::uintptr_t mutex, std::uintptr_t caller) {
    mutexes_.let_go(mutex);
    point(operation::unlocked, mutex, caller);
}

bool scheduler::wait(std::uintptr_t condition, std::uintptr_t mutex, std::int64_t deadline,
                     std::uintptr_t caller) {
    auto& mine = me();
    mutexes_.let_go(mutex);
    mine.mutex = mutex;
    mine.deadline = true_deadline(deadline);
    mine.woken = mine.late = false;
    mine.order = ++waits_;
    point(deadline == k_never ? operation::wait : operation::timed_wait, condition, caller);
    mutexes_.take(mutex, current_);
    mine.deadline = k_never;
    mine.late = false;
    return mine.woken;
}

void scheduler::notify(std::uintptr_t condition, bool all, std::uintptr_t caller) {
    std::vector<thread*> waiting;
    for (const auto& candidate : threads_) {
        const bool waits =
            candidate->wants == operation::wait || candidate->wants == operation::timed_wait;
        const bool lives = !processes_[candidate->process].over;
        if (waits && lives && candidate->object == condition && !candidate->woken)
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

// In a bounded run, each new thread gets a new number. In an endless run, it may get the number of an ended thread.
scheduler::newcomer scheduler::add_thread() {
    auto added = std::make_unique<thread>();
    auto* const place = added.get();
    if (!threads_.empty()) added->process = process();
    const auto number = lasts_ == endurance::endless ? free_number() : threads_.size();
    if (number == k_most_threads)
        end(verdict::livelock, fmt::format("more than {} threads live at once", number).c_str());
    if (number == threads_.size()) {
        threads_.push_back(std::move(added));
    } else {
        former_.push_back(std::exchange(threads_[number], std::move(added)));
    }
    choice_.add(number);
    return {static_cast<std::uint8_t>(number), place};
}

// Returns the number of a thread that has ended or never continues, for reuse; a new number if there is none.
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

std::uint16_t scheduler::add_process(std::string_view name, const process_clock& clock) {
    const auto number = processes_.size();
    if (number == k_most_processes)
        end(verdict::livelock, fmt::format("more than {} processes are started", number).c_str());
    name.copy(record_.process_names[number].data(), k_most_name - 1);
    processes_.push_back({clock});
    return static_cast<std::uint16_t>(number);
}

std::int64_t scheduler::read_clock() noexcept {
    if (lasts_ == endurance::endless) now_ += k_step;
    return now();
}

void scheduler::stop(std::uint16_t process, std::int64_t length) {
    auto& stands_until = processes_[process].stands_until;
    stands_until = std::max(stands_until, now_ + length);
}

void scheduler::enter(thread& place) {
    real::await_turn(place.turn);
    await_end_of_last();
    t_mine = true;  // not earlier, because other threads ran until now
}

void scheduler::leave() {
    t_mine = false;
    ended_ = real::own_thread();
    point(operation::over, 0, 0);
}

void scheduler::join(std::uint8_t number, std::uintptr_t caller) {
    me().target = number;
    point(operation::join, 0, caller);
}

bool scheduler::wait_until(operation operation, std::function<bool()> ready, std::int64_t end,
                           std::uintptr_t caller) {
    auto& mine = me();
    mine.ready = std::move(ready);
    mine.deadline = end;
    mine.late = false;
    point(operation, 0, caller);
    const bool is_ready = mine.ready && mine.ready();
    mine.ready = nullptr;
    mine.deadline = k_never;
    mine.late = false;
    return is_ready;
}

}  // namespace turnstile::schedule
