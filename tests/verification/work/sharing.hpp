// SPDX-License-Identifier: Apache-2.0
// sharing: what a simulated client has of one lock that its threads share: core::local_queue, the contender
// that it asks for, and the calls of its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/composite/local_queue.hpp"
#include "core/contender/notice.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile::simulation {

// Granted: decided, and its caller has not woken yet. Held: it has its guard. Lost: that is over, and its
// caller has still to give it up.
struct local_call {
    enum class state { waiting, granted, held, lost, refused };

    std::size_t worker = 0;
    core::sharing::caller caller;
    bool given_up = false;
    state now = state::waiting;
    std::optional<core::acquisition_id> contender;
    fencing_token token;
    core::time_point limit = core::time_point::max();  // its own
};

struct shared_lock {
    std::string folder;
    core::local_queue_settings settings;
    core::local_queue value;
    std::map<core::local_id, local_call> calls;  // ids grow with the arrivals
    std::uint64_t number = 0;                    // of the latest contender that was asked for
    bool withdrawn = false;
    std::optional<core::acquisition_id> held;  // once its grant is known, until it is given back
    std::optional<core::time_point> armed;     // its timer
    std::size_t unanswered = 0;                // asked for, and not answered
};

// What the judge sees of the threads that share a contender.
class sharing_holder {
public:
    sharing_holder() = default;
    sharing_holder(const sharing_holder&) = default;
    sharing_holder& operator=(const sharing_holder&) = default;
    [[nodiscard]] virtual std::vector<const shared_lock*> shared_locks() const = 0;

protected:
    ~sharing_holder() = default;
};

}  // namespace turnstile::simulation
