// SPDX-License-Identifier: Apache-2.0
// stamped_steps: reads and writes a record under a hold of the user's own test, with the leader's clock, like
// recipe/node/stamped_node.hpp, with a handler in place of a blocking call.
//
// Thread safety: the same as the script.
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
// Reads the mtime of the znode of the hold `call`, after a commit that changes nothing else has written it.
void ask_time(script& by, std::uint64_t call, time_handler then);
// Writes the record, or creates it, if it is unchanged since it was read.
void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then);

}  // namespace turnstile::simulation
