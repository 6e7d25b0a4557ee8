// SPDX-License-Identifier: Apache-2.0
// election_page: `turnstile elect --http`, a few answers for a sidecar and for probes.
//
// The servers are asked for the queue once a second at the most, however many ask here. The checks and the limits are
// those of the admin page (admin/http).
//
// Thread safety: one thread.
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
    // Answers from now on. `names`: further names that clients may call this server. `seat` and `servers` have to outlive
    // the page. Throws std::runtime_error if it cannot listen there.
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
