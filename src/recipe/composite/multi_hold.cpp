// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/multi_hold.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace turnstile::detail {

namespace {

std::string all_paths(const std::vector<any_lock>& locks) {
    std::string text;
    for (const auto& one : locks) text += (text.empty() ? "" : ", ") + one.path();
    return text;
}

// A session that ends or a hand that deletes ends a wait for one lock no more than for several.
core::after_loss after(const error& why) {
    return why == errc::session_lost || why == errc::removed ? core::after_loss::start_over
                                                             : core::after_loss::give_up;
}

}  // namespace

multi_hold::multi_hold(std::vector<any_lock> locks, acquire_options options)
    : composite_hold{std::move(options), locks.size()},
      locks_{std::move(locks)},
      deadline_{options_.timeout.deadline()},
      path_{all_paths(locks_)},
      value_{locks_.size()} {}

// ---- acquiring ------------------------------------------------------------------------------

result<guard> multi_hold::acquire(attempt mode) {
    for (auto next = begin(); next;) {
        auto options = part_options(*next);
        next =
            on_answer(*next, mode == attempt::once ? locks_[*next].try_acquire(std::move(options))
                                                   : locks_[*next].acquire(std::move(options)));
    }
    return outcome();
}

void multi_hold::async_acquire(handler done) {
    done_ = std::move(done);
    if (const auto first = begin()) ask_async(*first);
}

// A part that refuses its options by an exception has not kept the handler.
void multi_hold::ask_async(std::size_t which) {
    const auto answered = [self = self(), which](result<guard> answer) {
        if (const auto next = self->on_answer(which, std::move(answer)))
            return self->ask_async(*next);
        const auto done = std::exchange(self->done_, nullptr);
        done(self->outcome());
    };
    try {
        locks_[which].async_acquire(part_options(which), answered);
    } catch (const std::system_error& refused) {
        answered(error{static_cast<errc>(refused.code().value()), refused.what()});
    }
}

std::optional<std::size_t> multi_hold::begin() {
    if (options_.stop.stop_possible()) {
        stop_.emplace(options_.stop, [this, weak = weak_from_this()] {
            if (const auto self = weak.lock()) stop_waiting();
        });
    }
    const base::scoped_lock lock{mutex_};
    value_.start();
    return decide().ask;
}

void multi_hold::stop_waiting() {
    base::scoped_lock lock{mutex_};
    auto waits = ask_;
    lock.unlock();
    waits.request_stop();
}

acquire_options multi_hold::part_options(std::size_t which) {
    base::scoped_lock lock{mutex_};
    auto withdrawn = ask_.get_token();
    lock.unlock();
    auto made = options_of_part(std::move(withdrawn));
    if (deadline_) made.timeout = *deadline_;
    made.on_entered = options_.on_entered;
    made.on_queued = options_.on_queued;
    // The whole begins with the last of them, and ends with each.
    if (which + 1 == locks_.size()) made.max_hold = options_.max_hold;
    if (options_.stop.stop_requested()) stop_waiting();  // the wait began after the request
    return made;
}

// What to ask for next, or nothing: it has ended, one way or the other.
std::optional<std::size_t> multi_hold::on_answer(std::size_t which, result<guard>&& answer) {
    std::stop_token loss;
    std::uint64_t serial = 0;
    decisions next;
    {
        const base::scoped_lock lock{mutex_};
        if (answer) {
            loss = answer->lost();
            serial = keep_part(which, std::move(*answer).take_hold());
            value_.on_granted(which);
        } else {
            refused_ = answer.error();
            const bool withdrawn =
                answer.error() == errc::cancelled && !options_.stop.stop_requested();
            value_.on_refused(
                which, withdrawn ? core::all_of::refusal::withdrawn : core::all_of::refusal::own);
        }
        next = decide();
    }
    const auto ask = next.ask;
    if (serial != 0) watch_part(which, serial, loss);
    execute(std::move(next));
    return ask;
}

void multi_hold::on_part_lost(std::size_t which, std::uint64_t serial) {
    decisions next;
    {
        const base::scoped_lock lock{mutex_};
        if (parts_[which].serial != serial || !value_.holds(which)) return;
        const auto status = parts_[which].held->status();
        const auto why = status ? error{errc::session_lost} : status.error();
        remember();
        why_ = error_of(which, why);
        if (value_.now() == core::all_of::phase::held) over_ = true;
        value_.on_lost(which, after(why));
        next = decide();
    }
    execute(std::move(next));
}

// ---- what follows ---------------------------------------------------------------------------

multi_hold::decisions multi_hold::decide() {
    decisions made;
    for (const auto& one : value_.take()) {
        if (const auto* ask = std::get_if<core::all_of::ask>(&one)) {
            made.ask = ask->part;
            ask_ = std::stop_source{};  // a new start is not withdrawn yet
        } else if (std::holds_alternative<core::all_of::withdraw>(one)) {
            made.withdraw = ask_;
        } else if (const auto* back = std::get_if<core::all_of::give_back>(&one)) {
            made.give_back.push_back(std::exchange(parts_[back->part], {}));
        } else if (const auto* failed = std::get_if<core::all_of::tell_failed>(&one)) {
            // The answer itself, or the loss of another part that it was withdrawn for.
            const bool lost =
                why_ && refused_ && *refused_ == errc::cancelled && !options_.stop.stop_requested();
            if (refused_ && !lost) why_ = error_of(failed->part, *refused_);
            over_ = true;
        } else if (std::holds_alternative<core::all_of::tell_lost>(one)) {
            made.lost = true;
        }
    }
    if (made.ask) {  // a new start, or simply the next
        why_.reset();
        refused_.reset();
    }
    return made;
}

// The caller is told before anybody else can be granted a part that was given back.
void multi_hold::execute(decisions&& what) {
    if (what.withdraw) what.withdraw->request_stop();
    if (what.lost) tell_lost();
    give_back(std::move(what.give_back));
}

// On the executor of the lost part's client, by that part's hold.
void multi_hold::post_lost(std::function<void(const error&)> callback) {
    std::shared_ptr<hold> lost;
    std::optional<error> why;
    {
        const base::scoped_lock lock{mutex_};
        for (std::size_t i = 0; i != parts_.size(); ++i)
            if (parts_[i].held && !value_.holds(i)) lost = parts_[i].held;
        why = why_;
    }
    if (!lost || !why) return;  // released meanwhile
    lost->on_lost([call = std::move(callback), reason = *why](const error&) { call(reason); });
}

error multi_hold::error_of(std::size_t which, const error& why) const {
    return {why.code(), locks_[which].name() + ": " + why.detail()};
}

result<guard> multi_hold::outcome() {
    stop_.reset();
    std::optional<error> why;
    {
        const base::scoped_lock lock{mutex_};
        if (value_.now() == core::all_of::phase::held && all_valid()) {
            handed_ = true;
            return guard{shared_from_this()};
        }
        why = why_ ? why_ : error{errc::session_lost, path_ + ": granted, and a lease ended"};
    }
    unlock();
    return *why;
}

// ---- for the guard --------------------------------------------------------------------------

bool multi_hold::all_valid() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const part& one) { return one.held && one.held->valid(); });
}

bool multi_hold::valid() const noexcept {
    if (over_ || forked()) return false;
    const base::scoped_lock lock{mutex_};
    return all_valid();
}

boottime_clock::time_point multi_hold::valid_until() const noexcept {
    if (forked()) return boottime_clock::time_point::min();
    const base::scoped_lock lock{mutex_};
    return last_ ? last_->valid_until : earliest_end();
}

fencing_token multi_hold::token() const noexcept {
    if (forked()) return {};
    const base::scoped_lock lock{mutex_};
    if (last_) return last_->token;
    return parts_.back().held ? parts_.back().held->token() : turnstile::fencing_token{};
}

fencing_vector multi_hold::tokens() const {
    if (forked()) return {};
    const base::scoped_lock lock{mutex_};
    return last_ ? last_->tokens : part_tokens();
}

// A part that consists of several itself has its own names for them.
fencing_vector multi_hold::part_tokens() const {
    std::vector<fencing_vector::component> all;
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (!parts_[i].held) continue;
        const auto some = parts_[i].held->tokens();
        for (const auto& one : some.components()) {
            const auto& name = locks_[i].name();
            all.push_back({some.size() == 1 ? name : name + '/' + one.name, one.token});
        }
    }
    return fencing_vector{std::move(all)};
}

boottime_clock::time_point multi_hold::earliest_end() const {
    auto until = boottime_clock::time_point::max();
    for (const auto& one : parts_)
        until =
            std::min(until, one.held ? one.held->valid_until() : boottime_clock::time_point::min());
    return until;
}

// Before the parts go: the guard of a hold that is over says what it was.
void multi_hold::remember() {
    if (last_ || value_.now() != core::all_of::phase::held) return;
    last_ = {parts_.back().held->token(), part_tokens(), earliest_end()};
}

result<void> multi_hold::status() const {
    if (forked()) return forked_error();
    const base::scoped_lock lock{mutex_};
    if (why_) return *why_;
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (!parts_[i].held) return error{errc::not_held, path_};
        if (const auto one = parts_[i].held->status(); !one) return error_of(i, one.error());
    }
    return {};
}

void multi_hold::unlock() noexcept {
    if (forked()) return;  // the parent's, not ours
    decisions next;
    std::vector<part> rest;                                    // lost ones
    std::vector<std::function<void(const error&)>> callbacks;  // destroyed under no lock
    {
        const base::scoped_lock lock{mutex_};
        if (std::exchange(released_, true)) return;
        over_ = true;
        remember();
        value_.leave();
        next = decide();
        for (auto& one : parts_)
            if (one.held) rest.push_back(std::exchange(one, {}));
        callbacks.swap(lost_callbacks_);
    }
    execute(std::move(next));
    give_back(std::move(rest));
}

// All releases are under way before the first is waited for.
result<void> multi_hold::release(std::optional<boottime_clock::time_point> deadline) {
    if (forked()) return forked_error();
    const auto all = held_parts();
    unlock();
    std::optional<error> first;
    for (const auto& [which, one] : all) {
        const auto left = one->release(deadline);
        if (left) continue;
        if (!first) first = error_of(which, left.error());
        if (left.error() == errc::interrupted) break;
    }
    return released(first);
}

}  // namespace turnstile::detail
