// SPDX-License-Identifier: Apache-2.0
// observed_hold: a hold that reports its steps to the client's metrics. Without metrics, a step only compares a pointer
// with null.
//
// Thread safety: all members from any thread, except observe().
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/out_of_memory.hpp"
#include "client/call_record.hpp"
#include "client/hold.hpp"

namespace turnstile::detail {

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
