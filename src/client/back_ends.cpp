// SPDX-License-Identifier: Apache-2.0
#include "client/back_ends.hpp"

#include <fmt/core.h>

#include "guardian/link.hpp"
#include "local/coordinator.hpp"
#include "turnstile/error.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::detail {

namespace {

std::shared_ptr<core::coordinator> coordinator_of(std::string_view connect_string,
                                                  const client_options& options) {
    if (local::is_local(connect_string)) return local::make_coordinator(connect_string);
    return zookeeper::make_coordinator(connect_string, guardian::obtain(options.guardian));
}

}  // namespace

std::shared_ptr<core::coordinator> make_coordinator(std::string_view connect_string,
                                                    const client_options& options) {
    auto servers = coordinator_of(connect_string, options);
    if (const auto lacking = missing(servers->promises(), options.require); !lacking.empty()) {
        throw_error({errc::bad_option, fmt::format("require: '{}' does not promise enough; {}",
                                                   servers->describe(), lacking)});
    }
    return servers;
}

}  // namespace turnstile::detail
