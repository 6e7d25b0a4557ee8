// SPDX-License-Identifier: Apache-2.0
// sharing: the state of a lock that the threads of a simulated client share. The state consists of a core::local_queue,
// of the contender that this queue requests, and of the threads' calls.
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

// States of a call. `granted`: the caller has not resumed yet. `held`: the caller has its guard. `lost`: the hold has
// ended, and the caller must still release it.
struct local_call {
    enum class state { waiting, granted, held, lost, refused };

    std::size_t worker = 0;
    core::sharing::caller caller;
    bool given_up = false;
    state now = state::waiting;
    std::optional<core::contender_id> contender;
    fencing_token token;
    core::time_point limit = core::time_point::max();  // limit of this call's wait
};

struct shared_lock {
    std::string folder;
    core::local_queue_settings settings;
    core::local_queue value;
    std::map<core::local_id, local_call> calls;  // calls in the order of arrival
    std::uint64_t number = 0;                    // number of the latest requested contender
    bool withdrawn = false;
    std::optional<core::contender_id> held;  // the contender, from its grant until it is given back
    std::optional<core::time_point> armed;   // when the timer is due
    std::size_t unanswered = 0;              // requested contenders without an answer
};

// Gives sharing_judge access to a client whose threads share contenders.
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
