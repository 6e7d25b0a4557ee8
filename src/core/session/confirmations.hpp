// SPDX-License-Identifier: Apache-2.0
// confirmations: when a session has a confirmation sent: a write that shows that the session lives, so that its lease
// goes on. What is confirmed, and in which order, says contender_table.
//
//     confirmation_pace   how often, by the lease (docs/why/lease.md); a setting
//     confirmations       when the next one is due on one connection
//
// Thread safety: none, values.
#pragma once

#include <optional>

#include "core/lease/lease.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct confirmation_pace {
    // Zero, or more than would keep the lease alive: a fifth of the session time-out.
    duration wanted{};

    [[nodiscard]] duration interval(const lease& session) const;
    // A hold that is granted now outlives the answer to its first confirmation, while all is well. A contender that
    // waited with several ahead was not confirmed meanwhile, and could be granted in its lease's last moment.
    [[nodiscard]] bool lasts(const lease& session, time_point now) const;
    // How old the last look at the own znode may be at a grant. A `take` deletes the znode two time-outs (2 S) after
    // its order. A hold that has not seen the order lasts no longer than its first confirmation (`interval`) and one
    // lease (at most S). The look may therefore be S - interval old. The result is half of that, the other half being
    // the margin for clocks that drift, and one interval at most. docs/why/revocation.md has the proof.
    [[nodiscard]] duration unseen_for(const lease& session) const;

    friend bool operator==(const confirmation_pace&, const confirmation_pace&) = default;
};

// Which contenders there are for which a session is confirmed.
struct confirmation_needs {
    bool contenders = false;      // any at all
    bool confirming = false;      // that hold, have one ahead, or await the lease
    bool holding = false;         // that hold
    bool awaiting_lease = false;  // that are granted as soon as the lease lasts
};

class confirmations {
public:
    // The first one is due at once.
    confirmations() = default;
    confirmations(time_point now, duration interval)
        : counts_from_{now - interval}, sent_at_{now - interval} {}

    // `last_write`: the send time of the latest write that committed.
    [[nodiscard]] std::optional<time_point> due(const confirmation_pace& pace, const lease& session,
                                                const confirmation_needs& needs,
                                                time_point last_write, time_point now) const;

    // A contender needs confirmations now, and none did before.
    void first_needed(time_point now) { counts_from_ = now; }
    // One is due now, whether there is a znode to check or not.
    void begin(time_point now) { counts_from_ = sent_at_ = now; }
    void sent(ticket request) { request_ = request; }
    void answered(ticket request) {
        if (request_ == request) request_.reset();
    }
    [[nodiscard]] std::optional<ticket> request() const noexcept { return request_; }
    // The one under way came to nothing: the next is due at once.
    void lost(time_point now, duration interval) {
        request_.reset();
        counts_from_ = now - interval;
    }

    friend bool operator==(const confirmations&, const confirmations&) = default;

private:
    time_point counts_from_{};
    time_point sent_at_{};
    std::optional<ticket> request_;  // under way
};

}  // namespace turnstile::core
