// SPDX-License-Identifier: Apache-2.0
// The queue rule: which contenders hold, and which a waiter watches, as one pure function of the children's names.
//
// | kind            | waits for                                   | watches                          |
// |-----------------|---------------------------------------------|----------------------------------|
// | lock, latch     | all ahead                                   | the nearest one ahead            |
// | write           | all ahead                                   | the nearest one ahead            |
// | read            | writers (and upgrades) ahead                | the nearest of those             |
// | upgradable      | writers, upgrades and upgradables ahead     | the nearest of those             |
// | upgrade         | the readers that hold: those before the     | the nearest of those             |
// |                 | first writer that waits behind its own      |                                  |
// |                 | upgradable contender, or before itself      |                                  |
// | permit          | until what is ahead leaves room for it      | first in line: all ahead;        |
// |                 |                                             | else the nearest one ahead       |
//
// An upgrade passes the writers that wait: they wait for its upgradable contender, which is ahead of them. It
// passes the readers behind that writer, too, and a reader looks no further than the writers ahead of it: should
// that writer go, they would be let in beside the upgrade. So when none is in its way the upgrade takes the
// place of its upgradable contender, ahead of all of them, and looks again. What that list shows in the way, the
// writer before it having gone meanwhile, may hold or may wait for the upgrade already: nothing tells. Then it
// goes back to its own place, so that they hold, and waits for them. Each time a writer ahead of that place
// has gone, and none is added: so this ends.
//
// Numbers are compared with self by signed 32-bit distance, which keeps the order across a wrap at 2^31.
// A server whose counter sticks there (3.8.0) gives all contenders the same number, or for a while negative ones:
// all of those count as one number (at_counter_end), and these ties are decided by czxid, for which the rule asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/queue/contender_name.hpp"

namespace turnstile::core {

enum class verdict {
    granted,      // no contender is in the way
    wait_on,      // `predecessor` is the nearest one in the way
    wait_on_any,  // permit: as soon as one of `holders` ends, or the limit grows, there may be room
    ask_czxid,    // the order of `tied` is not known yet
    absent,       // self is not among the children: it was removed by hand
    change_places,  // upgrade: takes the other of its two places, and looks again
    orphan,         // upgrade: its upgradable contender is gone
    too_many,       // permit: asks for more permits than there are
};

struct decision {
    core::verdict verdict = core::verdict::absent;
    std::string predecessor;           // wait_on
    std::size_t ahead = 0;             // of those that it waits for
    std::vector<std::string> tied;     // ask_czxid
    bool ties = false;                 // equal numbers were seen
    std::vector<std::string> holders;  // wait_on_any: all that may hold
    // Of the foremost contender of another kind that came before: neither excludes the other.
    std::optional<contender_family> foreign;
    friend bool operator==(const decision&, const decision&) = default;
};

// How many permits a semaphore has, and how many it may have had when contenders that still stand were
// granted: after it has shrunk, more than fit now may hold.
struct permit_limit {
    std::int32_t now = 1;
    std::int32_t earlier = 1;
    // The number of the last one that was granted more than there are now; none: it was not found out yet, and
    // all that fit into `earlier` may have been.
    std::optional<std::int32_t> last{};
    friend bool operator==(const permit_limit&, const permit_limit&) = default;
};

// `self` is our name among `children`; `czxids` holds what is known of tied nodes, self included.
[[nodiscard]] decision decide(const std::vector<std::string>& children, const std::string& self,
                              const std::map<std::string, std::int64_t>& czxids = {},
                              const permit_limit& permits = {});

}  // namespace turnstile::core
