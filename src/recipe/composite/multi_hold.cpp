// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/multi_hold.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "client/internals.hpp"

namespace turnstile::detail {

namespace {

std::string all_paths(const std::vector<any_lock>& locks) {
    std::string text;
    for (const auto& lock : locks) text += (text.empty() ? "" : ", ") + lock.path();
    return text;
}

// A session that ends or a hand that deletes ends a wait for one lock no more than for several.
core::after_loss after(const error& why) {
    return why == errc::session_lost || why == errc::removed ? core::after_loss::start_over
                                                             : core::after_loss::give_up;
}

}  // namespace

multi_hold::multi_hold(std::vector<any_lock> locks, acquire_request&& request, handler&& done)
    : composite_hold{std::move(request), std::move(done), composite::multi, locks.size()},
      locks_{std::move(locks)},
      mode_{request.mode},
      deadline_{request.deadline},
      path_{all_paths(locks_)},
      value_{locks_.size()} {}

// ---- acquiring ------------------------------------------------------------------------------

// After the last answer the outcome is there: nothing is left to wait for.
result<guard> multi_hold::acquire() {
    for (auto next = begin(); next;) {
        const auto& lock = locks_[*next];
        auto options = part_options(*next);
        next = on_answer(*next, mode_ == core::attempt::once ? lock.try_acquire(std::move(options))
                                                             : lock.acquire(std::move(options)));
    }
    return wait();
}

void multi_hold::async_acquire() {
    if (const auto first = begin()) ask_async(*first);
}

// A part that refuses its options by an exception has not kept the handler.
void multi_hold::ask_async(std::size_t which) {
    const auto answered = [self = self(), which](result<guard> answer) {
        if (const auto next = self->on_answer(which, std::move(answer)))
            return self->ask_async(*next);
        self->answer_handler();
    };
    try {
        locks_[which].async_acquire(part_options(which), answered);
    } catch (const std::system_error& refused) {
        answered(error{static_cast<errc>(refused.code().value()), refused.what()});
    }
}

std::optional<std::size_t> multi_hold::begin() {
    listen(options().stop);
    const base::scoped_lock lock{mutex_};
    value_.start();
    return decide().ask;
}

// The part that is asked for answers; so the reason is its own.
void multi_hold::cancel(const error& /*why*/) noexcept {
    base::scoped_lock lock{mutex_};
    auto wait = ask_;
    lock.unlock();
    wait.request_stop();
}

acquire_options multi_hold::part_options(std::size_t which) {
    base::scoped_lock lock{mutex_};
    auto withdrawn = ask_.get_token();
    lock.unlock();
    auto part = options_for_part(std::move(withdrawn));
    if (deadline_) part.timeout = *deadline_;
    // The whole begins with the last of them, and ends with each.
    if (which + 1 == locks_.size()) part.max_hold = options().max_hold;
    // The wait began after the request.
    if (options().stop.stop_requested()) cancel(errc::cancelled);
    return part;
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
            serial = keep_part(which, internals::take_hold(std::move(*answer)));
            value_.on_granted(which);
        } else {
            refused_ = answer.error();
            const bool withdrawn =
                answer.error() == errc::cancelled && !options().stop.stop_requested();
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
        part_loss_ = error_of(which, why);
        value_.on_lost(which, after(why));
        next = decide();
    }
    execute(std::move(next));
}

// ---- what follows ---------------------------------------------------------------------------

multi_hold::decisions multi_hold::decide() {
    decisions next;
    for (const auto& action : value_.take()) {
        if (const auto* ask = std::get_if<core::all_of::ask>(&action)) {
            next.ask = ask->part;
            ask_ = std::stop_source{};  // a new start is not withdrawn yet
        } else if (std::holds_alternative<core::all_of::withdraw>(action)) {
            next.withdraw = ask_;
        } else if (const auto* back = std::get_if<core::all_of::give_back>(&action)) {
            next.give_back.push_back(std::exchange(parts_[back->part], {}));
        } else if (std::holds_alternative<core::all_of::tell_granted>(action)) {
            grant();
        } else if (const auto* failed = std::get_if<core::all_of::tell_failed>(&action)) {
            refuse(failure(failed->part));
        } else {
            next.lost = lose(*part_loss_);
        }
    }
    if (next.ask) {  // a new start, or simply the next
        part_loss_.reset();
        refused_.reset();
    }
    return next;
}

// The answer itself, or the loss of another part that it was withdrawn for.
error multi_hold::failure(std::size_t part) const {
    const bool withdrawn =
        refused_ && *refused_ == errc::cancelled && !options().stop.stop_requested();
    if (part_loss_ && (!refused_ || withdrawn)) return *part_loss_;
    if (refused_) return error_of(part, *refused_);
    return lease_ended();
}

// The caller is told before another contender can be granted a part that was given back.
void multi_hold::execute(decisions&& next) {
    if (next.withdraw) next.withdraw->request_stop();
    if (next.lost) tell_lost(std::move(*next.lost));
    give_back(std::move(next.give_back));
}

void multi_hold::post(task callback) {
    std::shared_ptr<hold> lost;
    {
        const base::scoped_lock lock{mutex_};
        for (std::size_t i = 0; i != parts_.size(); ++i)
            if (parts_[i].held && !value_.holds(i)) lost = parts_[i].held;
    }
    if (!lost) return;  // released meanwhile
    lost->on_lost([callback = std::move(callback)](const error&) { callback(); });
}

error multi_hold::lease_ended() const {
    return {errc::session_lost, path_ + ": granted, and a lease ended"};
}

error multi_hold::error_of(std::size_t which, const error& why) const {
    return {why.code(), locks_[which].name() + ": " + why.detail()};
}

// ---- for the guard --------------------------------------------------------------------------

bool multi_hold::is_certain() const noexcept {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const kept_part& part) { return part.held && part.held->valid(); });
}

error multi_hold::doubt() const {
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (!parts_[i].held) return {errc::not_held, path_};
        if (const auto status = parts_[i].held->status(); !status)
            return error_of(i, status.error());
    }
    return lease_ended();
}

bool multi_hold::valid() const noexcept {
    if (over_ || forked()) return false;
    const base::scoped_lock lock{mutex_};
    return is_certain();
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
        const auto tokens = parts_[i].held->tokens();
        for (const auto& token : tokens.components()) {
            const auto& name = locks_[i].name();
            all.push_back({tokens.size() == 1 ? name : name + '/' + token.name, token.token});
        }
    }
    return fencing_vector{std::move(all)};
}

boottime_clock::time_point multi_hold::earliest_end() const {
    auto until = boottime_clock::time_point::max();
    for (const auto& part : parts_) {
        until = std::min(until,
                         part.held ? part.held->valid_until() : boottime_clock::time_point::min());
    }
    return until;
}

// Before the parts go: the guard of a hold that is over says what it was.
void multi_hold::remember() {
    if (last_ || value_.now() != core::all_of::phase::held) return;
    last_ = {parts_.back().held->token(), part_tokens(), earliest_end()};
}

void multi_hold::leave(const error& /*why*/) noexcept {
    decisions next;
    std::vector<kept_part> rest;  // lost ones
    {
        const base::scoped_lock lock{mutex_};
        remember();
        value_.leave();
        next = decide();
        for (auto& part : parts_)
            if (part.held) rest.push_back(std::exchange(part, {}));
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
    for (const auto& [which, part] : all) {
        const auto confirmed = part->release(deadline);
        if (confirmed) continue;
        if (!first) first = error_of(which, confirmed.error());
        if (confirmed.error() == errc::interrupted) break;
    }
    return released(first);
}

}  // namespace turnstile::detail
