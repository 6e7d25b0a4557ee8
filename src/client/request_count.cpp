// SPDX-License-Identifier: Apache-2.0
#include "turnstile/tools/request_count.hpp"

#include "client/client_impl.hpp"
#include "client/internals.hpp"

namespace turnstile {

std::uint64_t requests_sent(const client& servers) noexcept {
    const auto impl = detail::internals::of(servers);
    return impl ? impl->services().requests.load(std::memory_order_relaxed) : 0;
}

}  // namespace turnstile
