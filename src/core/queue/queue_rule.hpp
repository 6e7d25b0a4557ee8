// SPDX-License-Identifier: Apache-2.0
// The queue rule: which contenders hold, and which znode a waiter watches, as a pure function of the children's names.
//
// | kind            | waits for                                   | watches                          |
// |-----------------|---------------------------------------------|----------------------------------|
// | lock, latch     | all ahead                                   | the nearest one ahead            |
// | write           | all ahead                                   | the nearest one ahead            |
// | read            | writers and upgrades ahead                  | the nearest of these             |
// | upgradable      | writers, upgrades and upgradables ahead     | the nearest of these             |
// | upgrade         | readers that hold: all readers before the   | the nearest of these             |
// |                 | first writer behind its own upgradable      |                                  |
// |                 | contender, or before itself                 |                                  |
// | permit          | enough free permits                         | first in line: all ahead;        |
// |                 |                                             | else the nearest one ahead       |
//
// An upgrade overtakes the waiting writers: they wait for its upgradable contender, which is ahead of them. It also
// overtakes the readers behind the first such writer. But a reader looks only at writers ahead of it: if that writer
// leaves, the readers behind it would be granted beside the upgrade. So when no contender is in the way, the upgrade
// takes the position of its upgradable contender, ahead of all of them, and reads the list again. If that
// list has a reader in the way because the writer has left meanwhile, the reader may hold, or may already wait for the
// upgrade: the list does not show which. Then the upgrade returns to its own position, so that these readers hold, and
// waits for them. Each return needs a writer ahead of that position that has left, and no writer comes to be ahead of
// it. So the exchange ends.
//
// Numbers are compared with self by signed 32-bit distance, which keeps the order across a wrap at 2^31. A server whose
// counter sticks there (3.8.0) gives all contenders the same number, or for a while negative numbers. All of these
// count as one number (at_counter_end). Czxids decide between equal numbers; the rule asks for the czxids.
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
    granted,        // no contender is in the way
    wait_on,        // `predecessor` is the nearest one in the way
    wait_on_any,    // permit: there may be room as soon as one of `holders` ends or the limit grows
    ask_czxid,      // the czxids of `tied` are missing, so their order is unknown
    absent,         // self is not among the children: another client removed it
    change_places,  // upgrade: move to the other of its two positions, and read the list again
    orphan,         // upgrade: its upgradable contender is gone
    too_many,       // permit: claims more permits than the semaphore has
};

struct decision {
    core::verdict verdict = core::verdict::absent;
    std::string predecessor;           // set for wait_on
    std::size_t ahead = 0;             // number of contenders that it waits for
    std::vector<std::string> tied;     // set for ask_czxid
    bool ties = false;                 // equal numbers were seen
    std::vector<std::string> holders;  // set for wait_on_any: all contenders that may hold
    // The family of the foremost foreign contender that came earlier. It does not exclude self, nor self it.
    std::optional<contender_family> foreign;
    friend bool operator==(const decision&, const decision&) = default;
};

// The number of permits of a semaphore, and the number under which contenders that still exist may have been granted.
// After the limit has shrunk, contenders may hold more permits than `now`.
struct permit_limit {
    std::int32_t now = 1;
    std::int32_t earlier = 1;
    // The number of the last contender that may have been granted under `earlier`. Nothing: not known yet, so every
    // contender that fits into `earlier` may have been.
    std::optional<std::int32_t> last{};
    friend bool operator==(const permit_limit&, const permit_limit&) = default;
};

// `self` is our name among `children`. `czxids` has the known czxids of tied znodes, self included.
[[nodiscard]] decision decide(const std::vector<std::string>& children, const std::string& self,
                              const std::map<std::string, std::int64_t>& czxids = {},
                              const permit_limit& permits = {});

}  // namespace turnstile::core
