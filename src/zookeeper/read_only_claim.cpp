// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/read_only_claim.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "turnstile/error.hpp"

namespace turnstile::zookeeper {

struct read_only_claim::registry {
    base::mutex mutex;
    std::list<entry> entries GUARDED_BY(mutex);
};

// The registry is never destroyed, because a client may outlive other static objects.
read_only_claim::registry& read_only_claim::all() noexcept {
    static auto* const known = new registry;
    return *known;
}

read_only_claim::read_only_claim(const ensemble_address& servers, bool read_only) {
    ensemble_address sorted{servers.servers, {}};
    std::sort(sorted.servers.begin(), sorted.servers.end(), [](const auto& a, const auto& b) {
        return std::tie(a.host, a.port) < std::tie(b.host, b.port);
    });
    entry added{hosts_of(sorted, address_form::for_people), read_only, base::process_generation()};
    registry& known = all();
    const base::lock_guard lock{known.mutex};
    for (const auto& other : known.entries) {
        if (other.generation != added.generation || other.servers == added.servers) continue;
        if (!other.read_only && !added.read_only) continue;
        throw_error(
            {errc::bad_option,
             fmt::format(
                 "attach_to_read_only: this process has a client of {} and a client of {}, and "
                 "ZooKeeper's C client would mix up their servers; use one process for each",
                 added.servers, other.servers)});
    }
    own_ = known.entries.insert(known.entries.end(), std::move(added));
}

read_only_claim::~read_only_claim() {
    registry& known = all();
    const base::lock_guard lock{known.mutex};
    known.entries.erase(own_);
}

}  // namespace turnstile::zookeeper
