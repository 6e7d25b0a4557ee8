// SPDX-License-Identifier: Apache-2.0
// stamped_steps: a record that is read and written under a hold of the user's own test, and the leader's clock: what
// recipe/node/stamped_node.hpp does, with a handler in the place of a call that blocks.
//
// Thread safety: that of the script.
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
// The mtime of the znode of the hold `call`, which a commit that changes nothing else has written.
void ask_time(script& by, std::uint64_t call, time_handler then);
// Writes it, or makes it, if it is still as it was read.
void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then);

}  // namespace turnstile::simulation
