// The queue rule of a mutex: who holds, and whom a waiter watches, as one pure function of the
// children's names.
//
// The contender with the lowest number holds; everybody else watches the nearest one ahead. Numbers
// are compared with self by signed 32-bit distance, which keeps the order across a wrap at 2^31. A
// server whose counter sticks there (3.8.0) gives everybody the same number: such ties are decided
// by czxid, for which the rule asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace turnstile::core {

enum class verdict {
    granted,    // nobody is ahead
    wait_on,    // `predecessor` is the nearest one ahead
    ask_czxid,  // the order of `tied` is not known yet
    absent,     // self is not among the children: somebody removed it
};

struct decision {
    verdict what = verdict::absent;
    std::string predecessor;        // wait_on
    std::size_t ahead = 0;          // wait_on: how many contenders are ahead
    std::vector<std::string> tied;  // ask_czxid
    bool ties = false;              // equal numbers were seen
    friend bool operator==(const decision&, const decision&) = default;
};

// `self` is our name among `children`; `czxids` holds what is known of tied nodes, self included.
[[nodiscard]] decision decide(const std::vector<std::string>& children, const std::string& self,
                              const std::map<std::string, std::int64_t>& czxids = {});

}  // namespace turnstile::core
