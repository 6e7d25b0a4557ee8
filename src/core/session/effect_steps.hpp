// SPDX-License-Identifier: Apache-2.0
// effect_steps: how a session executes what one of its contenders asks for (contender_effects.hpp). None of it gives a
// contender an event.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>

#include "core/contender/contender_effects.hpp"
#include "core/session/client_life.hpp"

namespace turnstile::core {

// The znodes of abandoned creates are removed by contenders of the session's own, with ids from here on. They have no
// callers: what they tell is dropped.
inline constexpr std::uint64_t k_first_leftover = std::uint64_t{1} << 63U;

class effect_steps {
public:
    effect_steps(client_life& life, acquisition_id id) : life_{life}, id_{id} {}

    void operator()(contender_effects::submit& wanted) const;
    void operator()(contender_effects::enter& wanted) const;
    void operator()(contender_effects::list& wanted) const;
    void operator()(contender_effects::remove& wanted) const;
    void operator()(const contender_effects::watch& wanted) const;
    void operator()(const contender_effects::unwatch& wanted) const;
    void operator()(const contender_effects::unwatch_gone& wanted) const;
    void operator()(const contender_effects::warn_of_foreign& found) const;
    void operator()(const contender_effects::containers_unsupported& found) const;
    void operator()(const contender_effects::parent_create_lost& found) const;
    void operator()(const contender_effects::abandon& wanted) const;
    void operator()(contender_effects::replace_session& wanted) const;
    void operator()(const contender_effects::retry_later& wanted) const;
    void operator()(contender_effects::tell& told) const;

private:
    void give_back(const std::string& path) const;

    client_life& life_;
    const acquisition_id id_;
};

}  // namespace turnstile::core
