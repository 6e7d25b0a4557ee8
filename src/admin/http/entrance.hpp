// SPDX-License-Identifier: Apache-2.0
// entrance: the checks that every request to the admin page or to an election's page must pass before a service gets
// it. The request's syntax was checked before (request_reader.hpp).
//
// Thread safety: const members from any thread.
#pragma once

#include "admin/http/host_names.hpp"
#include "admin/http/request.hpp"

namespace turnstile::admin {

class entrance {
public:
    explicit entrance(host_names names);

    // Checks the request. Throws refusal with a status and a code: 400 form; 405 method; 415 for an encoded body; 421
    // for a `Host` that is not this server's.
    void check(const http_request& head) const;

private:
    const host_names names_;
};

}  // namespace turnstile::admin
