// SPDX-License-Identifier: Apache-2.0
// stamped_steps: steps of job_gate and rate_gate in a user's simulation: read the recipe's data, write them, and ask
// for the leader's time. The functions do the same as recipe/node/stamped_node.hpp, but they call a handler instead of
// blocking.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "recipe/node/stamped_data.hpp"
#include "simulation/script.hpp"
#include "turnstile/result.hpp"

namespace turnstile::simulation {

using stamped_handler = std::function<void(const result<detail::stamped_data>&)>;
using time_handler = std::function<void(const result<std::int64_t>&)>;
using written_handler = std::function<void(const result<void>&)>;

void read_stamped(script& by, const std::string& path, stamped_handler then);
// Writes the hold's znode without a change, and then reads its mtime, which is the leader's time.
void ask_time(script& by, std::uint64_t call, time_handler then);
// Writes the data, or creates the znode, unless the znode has changed since it was read.
void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then);

}  // namespace turnstile::simulation
