// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp in memory.
#include "contract/backend.hpp"
#include "local/coordinator.hpp"
#include "local/faults.hpp"

namespace turnstile::contract {

bool counts_every_write() {
    return true;
}

bool a_create_is_one_request() {
    return true;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    static const local::faults keeps_the_tree{"contract"};
    return local::make_coordinator("local:contract" + chroot);
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    return local::make_coordinator("local:cleaning");
}

void clean_containers() {
    local::faults{"cleaning"}.reap();
}

}  // namespace turnstile::contract
