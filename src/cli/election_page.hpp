// SPDX-License-Identifier: Apache-2.0
// election_page: the HTTP server of `turnstile elect --http`, for a sidecar and for probes.
//
// The server reads the election's queue at most once a second, however many clients it has. It checks and limits HTTP
// requests as the admin page's server does (admin/http).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/http_address.hpp"
#include "turnstile/client.hpp"
#include "turnstile/leader.hpp"

namespace turnstile::cli {

class election_page {
public:
    // Starts the server. `names`: further host names of this server. `seat` and `servers` must outlive the page. Throws
    // std::runtime_error if it cannot listen at the address.
    election_page(const http_address& where, std::vector<std::string> names, const leader& seat,
                  const client& servers);
    ~election_page();
    election_page(const election_page&) = delete;
    election_page& operator=(const election_page&) = delete;

    [[nodiscard]] http_address address() const;

private:
    class listener;
    const std::unique_ptr<listener> listener_;
};

}  // namespace turnstile::cli
