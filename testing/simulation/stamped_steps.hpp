// SPDX-License-Identifier: Apache-2.0
// stamped_steps: the requests of job_gate and rate_gate in a user's simulation. The functions read the recipe's data,
// write these data, and ask for the leader's time. The functions of recipe/node/stamped_node.hpp do the same and block;
// the functions here call a handler instead.
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
// Writes the unchanged data into the hold's znode again, and then reads the znode's mtime, which is the leader's time.
void ask_time(script& by, std::uint64_t call, time_handler then);
// Writes `text` into the znode, or creates the znode, unless the znode has changed since `as_read` was read.
void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then);

}  // namespace turnstile::simulation
