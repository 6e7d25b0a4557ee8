#include "core/queue_rule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/contender_name.hpp"

namespace turnstile::core {

namespace {

// Where a contender stands relative to self: by number, then by creation.
using place = std::pair<std::int32_t, std::int64_t>;

}  // namespace

decision decide(const std::vector<std::string>& children, const std::string& self,
                const std::map<std::string, std::int64_t>& czxids) {
    decision result;
    const auto own = parse_contender(self);
    if (!own || std::find(children.begin(), children.end(), self) == children.end()) return result;

    const auto known = czxids.find(self);
    const place here{0, known == czxids.end() ? 0 : known->second};
    place nearest{std::numeric_limits<std::int32_t>::min(), 0};
    for (const auto& child : children) {
        const auto number = contender_sequence(child, family(own->wants.kind));
        if (!number || child == self) continue;
        place there{sequence_distance(*number, own->sequence), 0};
        if (there.first > 0) continue;
        if (there.first == 0) {
            result.ties = true;
            const auto czxid = czxids.find(child);
            if (czxid == czxids.end()) {
                result.tied.push_back(child);
                continue;
            }
            there.second = czxid->second;
        }
        if (there >= here) continue;
        ++result.ahead;
        if (result.predecessor.empty() || there > nearest) {
            nearest = there;
            result.predecessor = child;
        }
    }
    if (!result.tied.empty()) {
        result.what = verdict::ask_czxid;
    } else {
        result.what = result.ahead == 0 ? verdict::granted : verdict::wait_on;
    }
    return result;
}

}  // namespace turnstile::core
