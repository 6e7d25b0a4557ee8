// SPDX-License-Identifier: Apache-2.0
// tie_order: the order of contenders with equal numbers, by the creation of their znodes.
//
// If a folder's counter of creates stays at its maximum, many contenders get the same number (queue_rule.hpp). A
// tie_order keeps the czxids that it has read, so that the order in a later list of the children needs no further
// reads.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class tie_order {
public:
    [[nodiscard]] bool asks() const noexcept { return !asking_.empty(); }
    [[nodiscard]] bool expects(ticket id) const { return asking_.contains(id); }
    [[nodiscard]] const std::map<std::string, std::int64_t>& czxids() const noexcept {
        return czxids_;
    }

    void learn(const std::string& name, std::int64_t czxid) { czxids_[name] = czxid; }
    void ask(contender_session& c, const std::string& folder, const std::vector<std::string>& tied);
    consequence on_answer(const reply& answer);

    friend bool operator==(const tie_order&, const tie_order&) = default;

private:
    std::map<ticket, std::string> asking_;
    std::map<std::string, std::int64_t> czxids_;
};

}  // namespace turnstile::core
