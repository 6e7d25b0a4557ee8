// SPDX-License-Identifier: Apache-2.0
// call_record: one call for a lock in the metrics of its client. Without metrics a call has no record.
//
// granted(), ended() and given_up() only change the metrics. They may be called under the locks of the call and its
// session. The functions whose names begin with `tell` call the observer, which is user code, so they are called under
// no lock.
//
//     observed_hold   a hold that reports its steps to its record
//
// Thread safety: all members from any thread, except observe().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/out_of_memory.hpp"
#include "base/process.hpp"
#include "client/hold.hpp"
#include "client/lock_series.hpp"
#include "turnstile/metrics.hpp"

namespace turnstile::detail {

class call_record {
public:
    using observer = callback<void(const lock_event&)>;

    call_record(std::shared_ptr<lock_series> series, std::uint64_t number, observer listener);
    ~call_record();
    call_record(const call_record&) = delete;
    call_record& operator=(const call_record&) = delete;

    void note_ahead(std::size_t ahead) { series_->note_ahead(place_, ahead); }
    void granted(const hold& holder) { series_->grant(place_, holder, boottime_clock::now()); }
    // Counts the end of a call that was refused, or of a hold that was lost.
    void ended(const error& why) { end(why, lock_series::ending::by_loss); }
    void given_up(const error& why) {
        const bool by_choice = why == errc::cancelled || why == errc::interrupted;
        end(why, by_choice ? lock_series::ending::by_owner : lock_series::ending::by_loss);
    }

    void tell_begin(const hold& call) const;
    // Reports the outcome to the observer, just before the caller gets it.
    void tell_outcome(const hold& call, const result<guard>& outcome) const;
    // Reports the end of the hold to the observer. The hold may end before its caller got it.
    void tell_end(const hold& call) const;

private:
    void end(const error& why, lock_series::ending manner);
    void tell(lock_event&& event, const hold& call) const;

    const std::shared_ptr<lock_series> series_;
    const std::uint64_t number_;
    const base::process_mark process_;
    const observer observer_;
    const lock_series::place place_;
};

// A hold that reports its steps to the client's metrics. Without metrics, a step only compares a pointer with null.
class observed_hold : public hold {
public:
    // Stores the record, which counts the steps of the call for the metrics, and calls the user's observer
    // (metrics_options::observer). Must be called under no lock, and before the hold can be granted.
    void observe(std::unique_ptr<call_record>&& record) noexcept {
        record_ = std::move(record);
        if (record_) record_->tell_begin(*this);
    }
    void note_ahead(std::size_t ahead) {
        if (record_) record_->note_ahead(ahead);
    }

protected:
    // ---- called under the lock of class `call`; only the first invocation of each function has an effect ----
    void note_grant() {
        if (record_) record_->granted(*this);
    }
    // Counts a refusal or a loss.
    void note_end(const error& why) {
        if (record_) record_->ended(why);
    }
    // ---- called under no lock, because the user's observer runs -------------------------------
    void note_given_up(const error& why) noexcept {
        if (!record_) return;
        base::finish_or_end("the record of a release", [&] { record_->given_up(why); });
        record_->tell_end(*this);
    }
    // Called just before the caller gets `answer`.
    void tell_answer(const result<guard>& answer) const noexcept {
        if (record_) record_->tell_outcome(*this, answer);
    }
    void tell_loss() const noexcept {
        if (record_) record_->tell_end(*this);
    }

private:
    std::unique_ptr<call_record> record_;
};

}  // namespace turnstile::detail
