// SPDX-License-Identifier: Apache-2.0
// Checks the queue rule for arbitrary children of a folder. The queue rule decides from the children's names which
// contender holds the lock. The check takes bytes, and returns the first violation as text, or an empty text. A fuzz
// target runs the check, and so does a unit test with fixed seeds.
//
// The first byte chooses the kind of input:
// - a history: the bytes describe znodes that are created one after the other. After the counter's overflow, the
//   numbers continue in one of two ways, as on different versions of the servers.
// - raw names, one a line.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "fuzz_input.hpp"

namespace turnstile::fuzz {

struct queue_history {
    std::vector<std::string> contenders;  // in the order of creation
    // the list that a server returns: unsorted, with children that are no contenders
    std::vector<std::string> children;
    std::map<std::string, std::int64_t> czxids;
};

inline std::string name_of(std::uint8_t kind, std::size_t index, std::int32_t sequence) {
    switch (kind % 4) {
        case 0:
            return fmt::format("_c_{:08x}-1111-4111-8111-111111111111-lock-{:010d}", index,
                               sequence);
        case 1: return fmt::format("_c_{:032x}-lock-{:010d}", index, sequence);
        case 2: return fmt::format("{:032x}__lock__{:010d}", index, sequence);
        default: return fmt::format("x-{:016x}-{:010d}", index, sequence);
    }
}

inline queue_history make_history(byte_source& in) {
    constexpr std::size_t k_most = 24;
    constexpr std::uint64_t k_widest = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t k_end = std::numeric_limits<std::int32_t>::max();
    const bool sticks = in.byte() % 2 == 1;
    const std::uint64_t start = in.word();
    std::uint64_t counter = start;
    queue_history result;
    for (std::size_t i = 0; i != k_most && !in.empty(); ++i) {
        const std::uint8_t kind = in.byte();
        const std::uint8_t step = in.byte();
        // The sequence numbers of existing contenders must be less than half of the counter's range apart.
        const std::uint64_t gap = std::uint64_t{step} << (step % 24);
        if (counter + 1 + gap - start >= k_widest) break;
        counter += 1 + gap;
        const auto number = static_cast<std::int64_t>(counter);
        const auto sequence =
            static_cast<std::int32_t>(sticks ? std::min(number, k_end)
                                             : static_cast<std::int64_t>(static_cast<std::int32_t>(
                                                   static_cast<std::uint32_t>(counter))));
        auto name = name_of(kind, i, sequence);
        result.czxids[name] = static_cast<std::int64_t>(0x100000000U + i);
        if (kind % 4 < 2) result.contenders.push_back(name);
        const auto at = static_cast<std::ptrdiff_t>(kind % (result.children.size() + 1));
        result.children.insert(result.children.begin() + at, std::move(name));
    }
    return result;
}

// Checks that the queue rule decides by the order in which the contenders were created. The rule may ask for czxids
// only if contenders have equal numbers, and only for the czxids of these contenders. After the counter's overflow,
// different numbers may count as equal.
inline std::string check_history(const queue_history& given) {
    using core::verdict;
    for (std::size_t place = 0; place != given.contenders.size(); ++place) {
        const auto& self = given.contenders[place];
        const auto first = core::decide(given.children, self);
        std::vector<std::string> equal;
        for (const auto& other : given.children) {
            if (other != self && core::contender_sequence(other) &&
                core::order_number(*core::contender_sequence(other)) ==
                    core::order_number(*core::contender_sequence(self)))
                equal.push_back(other);
        }
        if (first.ties != !equal.empty()) return "ties are not what they are for " + self;
        if (!equal.empty() && (first.verdict != verdict::ask_czxid || first.tied != equal))
            return "the czxids of the tied ones were not asked for by " + self;
        const core::queue_index prepared{given.children, core::contender_family::lock};
        if (const auto quick = prepared.decide(self); quick && !(*quick == first))
            return "the index says something else of " + self;
        const auto last = core::decide(given.children, self, given.czxids);
        if (last.verdict != (place == 0 ? verdict::granted : verdict::wait_on))
            return fmt::format("{} at place {} has the wrong verdict", self, place);
        if (last.ahead != place)
            return fmt::format("{}: {} ahead, not {}", self, last.ahead, place);
        if (place > 0 && last.predecessor != given.contenders[place - 1])
            return self + " waits on " + last.predecessor;
        if (equal.empty() && !(first == last)) return "czxids changed an order without ties";
    }
    return {};
}

// Checks arbitrary names: the names of other children do not change what the queue rule decides. A number is valid only
// in the form in which a server writes it.
inline std::string check_names(std::string_view text) {
    std::vector<std::string> children;
    for (std::size_t at = 0; at <= text.size() && children.size() < 64;) {
        const auto end = std::min(text.find('\n', at), text.size());
        children.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    auto contenders = children;
    std::erase_if(contenders, [](const auto& name) { return !core::contender_sequence(name); });
    for (const auto& name : contenders) {
        if (!name.ends_with(fmt::format("{:010d}", *core::contender_sequence(name))))
            return "no server writes the number of " + name;
    }
    for (const auto& self : children) {
        const auto judged = core::decide(children, self);
        const bool absent = !core::contender_sequence(self);
        if ((judged.verdict == core::verdict::absent) != absent) return self + ": absent or not?";
        if (!absent && !(judged == core::decide(contenders, self)))
            return "a foreign child changed the verdict for " + self;
    }
    return {};
}

inline std::string check_queue_rule(const std::uint8_t* data, std::size_t size) {
    byte_source in{data, size};
    if (in.byte() % 4 == 0) return check_names(in.rest());
    return check_history(make_history(in));
}

}  // namespace turnstile::fuzz
