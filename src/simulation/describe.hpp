// SPDX-License-Identifier: Apache-2.0
// describe: values as short text, for traces.
#pragma once

#include <string>

#include "core/session/session_core.hpp"
#include "simulation/agenda.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

[[nodiscard]] std::string describe(const core::operation& what);
[[nodiscard]] std::string describe(const core::reply& what);
[[nodiscard]] std::string describe(const core::coordinator_event& what);
[[nodiscard]] std::string describe(const core::notice& what);
[[nodiscard]] std::string describe(const fault_due& what);

}  // namespace turnstile::simulation
