// SPDX-License-Identifier: Apache-2.0
// observed_hold: a hold that reports its steps to the client's metrics. Without metrics, a step only compares a pointer
// with null.
//
// Thread safety: all members from any thread, except observe().
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "client/hold.hpp"

namespace turnstile::detail {

class call_record;
class metrics_impl;

// Deletes a call_record in places where the class is an incomplete type.
struct record_deletion {
    void operator()(call_record* record) const noexcept;
};
using record_pointer = std::unique_ptr<call_record, record_deletion>;

// Makes the record of a call that begins to wait for the lock on `path`; null without metrics.
[[nodiscard]] record_pointer record_of(const std::shared_ptr<metrics_impl>& metrics,
                                       const std::string& path);

class observed_hold : public hold {
public:
    // Sets the record, and calls the observer. Must be called under no lock, and before the hold can be granted.
    void observe(record_pointer&& record) noexcept;
    void note_ahead(std::size_t ahead) {
        if (record_) record_ahead(ahead);
    }

protected:
    // ---- called under the lock of class `call`; only the first invocation of each function has an effect ----
    void note_grant() {
        if (record_) record_grant();
    }
    void note_refusal(const error& why) {
        if (record_) record_refusal(why);
    }
    void note_loss(const error& why) {
        if (record_) record_loss(why);
    }
    // ---- called under no lock, because the observer runs --------------------------------------
    void note_given_up(const error& why) noexcept {
        if (record_) record_given_up(why);
    }
    // Called just before the caller gets `answer`.
    void tell_answer(const result<guard>& answer) const noexcept {
        if (record_) record_answer(answer);
    }
    void tell_loss() const noexcept {
        if (record_) record_end();
    }

private:
    void record_ahead(std::size_t ahead);
    void record_grant();
    void record_refusal(const error& why);
    void record_loss(const error& why);
    void record_given_up(const error& why) noexcept;
    void record_answer(const result<guard>& answer) const noexcept;
    void record_end() const noexcept;

    record_pointer record_;
};

}  // namespace turnstile::detail
