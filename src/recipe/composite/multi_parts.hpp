// SPDX-License-Identifier: Apache-2.0
// multi_parts: parts of the state of a multi_hold, each with its own rules.
//
//     part_questions   the locks that the call must request now
//     part_locks       the locks in their canonical order
//     trial_pace       whether the next call tries all locks at once
//     start_failure    the reason why the call failed to get all locks
//     whole_record     the tokens and the validity of the whole hold
//
// Thread safety: all members of trial_pace and part_locks from any thread; a part_locks does not change after its
// constructor. The others: none, values.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/session_hold.hpp"
#include "core/composite/all_of.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "turnstile/any_lock.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/fencing_vector.hpp"

namespace turnstile::detail {

// to_wait: request a hold, and wait for it. to_try: request a hold that is granted at once or refused.
enum class asked { to_wait, to_try };

// The locks (parts) that a multi_lock's call must request now.
struct part_questions {
    std::optional<std::size_t> ask;  // request this part and wait for it
    std::vector<std::size_t> tries;
    bool is_over = false;  // the outcome is known: request nothing more

    [[nodiscard]] bool empty() const { return !ask && tries.empty(); }
};

// The locks of a multi_lock in their canonical order. Can try several of them at once.
class part_locks {
public:
    using started = std::vector<result<std::shared_ptr<session_hold>>>;

    explicit part_locks(std::vector<any_lock> locks);

    [[nodiscard]] std::size_t size() const noexcept { return locks_.size(); }
    [[nodiscard]] const any_lock& operator[](std::size_t which) const { return locks_[which]; }
    [[nodiscard]] const std::string& paths() const noexcept { return paths_; }

    [[nodiscard]] bool can_be_tried_together() const noexcept { return queues_.size() > 1; }
    // Returns the client of the locks. Allowed only if can_be_tried_together().
    [[nodiscard]] const std::shared_ptr<client_impl>& servers() const {
        return queues_.front()->servers();
    }
    // Starts a try (an acquire that does not wait) for each of these locks. `request(queue, which)` makes the request
    // for a try.
    template <class Request>
    [[nodiscard]] started start_tries(const std::vector<std::size_t>& which,
                                      Request&& request) const {
        std::vector<result<acquire_request>> calls;
        calls.reserve(which.size());
        for (const auto each : which) calls.push_back(request(*queues_[each], each));
        return servers()->acquire_together(std::move(calls));
    }

    [[nodiscard]] error error_of(std::size_t which, const error& why) const;
    [[nodiscard]] error lease_ended() const;

private:
    const std::vector<any_lock> locks_;
    // The queue of each lock; empty if the locks cannot be tried together.
    const std::vector<const queue_lock*> queues_;
    const std::string paths_;
};

// Decides whether the next call of a multi_lock tries all parts at once (a *trial*) before it waits for a part.
//
// A trial that does not get all parts has created znodes in vain, and has woken the contenders behind them. So after a
// failed trial the next call waits for the first part, and tries the other parts only while it holds that part. After
// two failed trials in a row, the next three calls wait for the first part. Each further failure in a row doubles this
// number and adds one, up to 63. Calls for the same locks exclude each other by the first part, so their trials of the
// other parts succeed. After a trial that gets all parts, the next call tries all parts again.
class trial_pace {
public:
    // Decides whether a call that begins now tries all locks of the multi_lock at once.
    [[nodiscard]] core::all_of::course next() noexcept {
        auto left = waiting_calls_.load();
        while (left != 0)
            if (waiting_calls_.compare_exchange_weak(left, left - 1))
                return core::all_of::course::rest_at_once;
        return core::all_of::course::all_at_once;
    }
    // Call this after a call that began by trying all locks at once. `got_all`: whether this try got all locks.
    void on_trial(bool got_all) noexcept {
        if (got_all) {
            failures_ = 0;
            return;
        }
        const auto in_a_row = std::min(failures_.load() + 1, k_most_doublings);
        failures_ = in_a_row;
        waiting_calls_ = (1U << in_a_row) - 1;
    }

private:
    static constexpr std::uint32_t k_most_doublings = 6;

    std::atomic<std::uint32_t> failures_{0};       // consecutive failed trials
    std::atomic<std::uint32_t> waiting_calls_{0};  // calls left that wait for the first part
};

// The reason why a multi_hold failed to get all parts. The reason is the first refusal that ends the call, or otherwise
// the latest loss of a held part. core::all_of::refusal says which refusals end the call.
class start_failure {
public:
    void refuse(error why) {
        if (!refusal_) refusal_ = std::move(why);
    }
    void lose(error why) { loss_ = std::move(why); }
    // Forgets the reasons. Must be called before the multi_hold starts over, or requests the next lock.
    void go_on() { *this = {}; }

    // Returns the refusal that has ended the call. Without a refusal, returns the latest loss of a lock, and without a
    // loss `unknown`.
    [[nodiscard]] const error& why(const error& unknown) const {
        if (refusal_) return *refusal_;
        return loss_ ? *loss_ : unknown;
    }
    [[nodiscard]] const std::optional<error>& loss() const noexcept { return loss_; }

private:
    std::optional<error> refusal_;
    std::optional<error> loss_;
};

// The tokens and the validity of a multi_lock's hold, for the guard of this hold. While the hold has its parts (the
// holds of the single locks), whole_record reads the parts. After remember() it returns a copy of their last state.
//
// `locks`: the locks of the multi_lock; each has a name(). `parts`: one element for each lock, in the same order; the
// member `held` points to the hold of that lock, or is null.
class whole_record {
public:
    // Returns the token of the multi_lock's last lock.
    template <class Parts>
    [[nodiscard]] fencing_token token(const Parts& parts) const {
        if (last_) return last_->token;
        return parts.back().held ? parts.back().held->token() : fencing_token{};
    }
    template <class Parts, class Locks>
    [[nodiscard]] fencing_vector tokens(const Parts& parts, const Locks& locks) const {
        return last_ ? last_->tokens : tokens_of(parts, locks);
    }
    template <class Parts>
    [[nodiscard]] boottime_clock::time_point valid_until(const Parts& parts) const {
        return last_ ? last_->valid_until : earliest_end(parts);
    }

    // Copies the state of the single locks' holds (`parts`). Call it once, before these holds are given back.
    template <class Parts, class Locks>
    void remember(const Parts& parts, const Locks& locks) {
        if (!last_) last_ = {token(parts), tokens_of(parts, locks), earliest_end(parts)};
    }

private:
    struct last_words {
        fencing_token token;
        fencing_vector tokens;
        boottime_clock::time_point valid_until;
    };

    // Returns the tokens of all locks, with names. If the hold of a lock has one token, the token gets the lock's name.
    // If the hold has several tokens, each name is the lock's name, "/", and the token's own name.
    template <class Parts, class Locks>
    [[nodiscard]] static fencing_vector tokens_of(const Parts& parts, const Locks& locks) {
        std::vector<fencing_vector::component> all;
        for (std::size_t i = 0; i != parts.size(); ++i) {
            if (!parts[i].held) continue;
            const auto tokens = parts[i].held->tokens();
            for (const auto& token : tokens.components()) {
                const auto& name = locks[i].name();
                all.push_back({tokens.size() == 1 ? name : name + '/' + token.name, token.token});
            }
        }
        return fencing_vector{std::move(all)};
    }
    template <class Parts>
    [[nodiscard]] static boottime_clock::time_point earliest_end(const Parts& parts) {
        auto until = boottime_clock::time_point::max();
        for (const auto& part : parts) {
            until = std::min(
                until, part.held ? part.held->valid_until() : boottime_clock::time_point::min());
        }
        return until;
    }

    std::optional<last_words> last_;
};

}  // namespace turnstile::detail
