// SPDX-License-Identifier: Apache-2.0
#include "client/call_record.hpp"

#include <utility>

#include "client/user_code.hpp"

namespace turnstile::detail {

call_record::call_record(std::shared_ptr<lock_series> series, std::uint64_t number,
                         observer listener)
    : series_{std::move(series)},
      number_{number},
      observer_{std::move(listener)},
      place_{series_->enter(boottime_clock::now())} {}

// Removes the call from the metrics of its lock (the series). A forked child leaves the call there: another thread may
// have locked the series at the fork, and no thread of the child unlocks it.
call_record::~call_record() {
    if (!process_.forked()) series_->forget(place_);
}

void call_record::end(const error& why, lock_series::ending manner) {
    series_->end(place_, why.code(), manner, boottime_clock::now());
}

void call_record::tell(lock_event&& event, const hold& call) const {
    event.call = number_;
    event.series = series_->name();
    event.path = call.path();
    run_user_code("metrics_options::observer", [&] { observer_(event); });
}

void call_record::tell_begin(const hold& call) const {
    if (observer_) tell({.kind = lock_event_kind::waits, .at = boottime_clock::now()}, call);
}

void call_record::tell_outcome(const hold& call, const result<guard>& outcome) const {
    if (!observer_) return;
    const auto seen = series_->read_entry(place_);
    if (!outcome) {
        return tell({.kind = lock_event_kind::refused,
                     .at = seen.ended,
                     .span = seen.ended - seen.began,
                     .why = outcome.error().code()},
                    call);
    }
    tell({.kind = lock_event_kind::granted,
          .at = seen.granted,
          .span = seen.granted - seen.began,
          .token = call.token()},
         call);
    series_->announce(place_);
    tell_end(call);  // does nothing unless the hold has ended meanwhile
}

void call_record::tell_end(const hold& call) const {
    if (!observer_) return;
    const auto seen = series_->take_end(place_);
    if (!seen) return;
    const bool lost = seen->state == lock_series::phase::lost;
    tell({.kind = lost ? lock_event_kind::lost : lock_event_kind::released,
          .at = seen->ended,
          .span = seen->ended - seen->granted,
          .token = call.token(),
          .why = lost ? seen->why : std::nullopt},
         call);
}

}  // namespace turnstile::detail
