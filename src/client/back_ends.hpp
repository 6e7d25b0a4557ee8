// SPDX-License-Identifier: Apache-2.0
// make_coordinator: the kind of server that a connect string asks for.
#pragma once

#include <memory>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::detail {

// By the scheme: "local:" is the in-memory model, anything without one ZooKeeper. Throws std::system_error:
// bad_connect_string; bad_option if the servers promise less than `options.require`.
[[nodiscard]] std::shared_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                                  const client_options& options);

}  // namespace turnstile::detail
