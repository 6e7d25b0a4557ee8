// SPDX-License-Identifier: Apache-2.0
// describe: returns a value as a short text, for traces.
#pragma once

#include <string>

#include "core/session/session_core.hpp"
#include "simulation/agenda.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

[[nodiscard]] std::string describe(const core::operation& operation);
[[nodiscard]] std::string describe(const core::reply& reply);
[[nodiscard]] std::string describe(const core::coordinator_event& event);
[[nodiscard]] std::string describe(const core::notice& notice);
[[nodiscard]] std::string describe(const fault_due& event);

}  // namespace turnstile::simulation
