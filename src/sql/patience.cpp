// SPDX-License-Identifier: Apache-2.0
#include "sql/patience.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "support/poll_time.hpp"

namespace turnstile::sql {
namespace {

// The time limit for removing a session from the database at close().
constexpr std::chrono::seconds k_orderly_end{2};

}  // namespace

patience::patience(std::chrono::milliseconds length, std::shared_ptr<closing_signal> closing)
    : length_{length}, closing_{std::move(closing)} {}

void patience::begin(std::chrono::milliseconds length) noexcept {
    until_ = boottime_clock::now() + length;
    if (closing_until_) until_ = std::min(until_, *closing_until_);
}

patience::part::part(patience& whole, std::size_t parts) : whole_{whole}, until_{whole.until_} {
    const auto now = boottime_clock::now();
    whole.until_ = now + (until_ - now) / static_cast<std::int64_t>(parts);
}

// Restores the time limit that applied before this object existed. If close() has begun meanwhile, the earlier of this
// limit and close()'s limit applies.
patience::part::~part() {
    whole_.until_ = std::min(until_, whole_.closing_until_.value_or(until_));
}

short patience::await(int socket, short events) {
    for (;;) {
        if (is_closing() && !closing_until_) {
            closing_until_ = boottime_clock::now();
            if (closing_->has_session.load()) *closing_until_ += k_orderly_end;
            until_ = std::min(until_, *closing_until_);
        }
        if (boottime_clock::now() >= until_) return 0;
        const bool watched = closing_ && !closing_until_;
        std::array<pollfd, 2> waited{
            {{socket, events, 0}, {watched ? closing_->closing.fd() : -1, POLLIN, 0}}};
        support::await_any(waited, until_);
        if (waited[0].revents != 0) return waited[0].revents;
    }
}

}  // namespace turnstile::sql
