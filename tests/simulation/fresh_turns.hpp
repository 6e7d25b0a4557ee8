// SPDX-License-Identifier: Apache-2.0
// fresh_turns: chooses the histories of a run on fresh seeds. The kinds of histories alternate, each with a block of
// seeds from a random start.
//
// The same seed gives the same choices. The object never chooses the seeds of the fixed ranges, which the
// tests play. It never chooses seeds from 10,000,000 on either, because these seeds are reserved for independent checks
// of the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.hpp"
#include "simulation/kinds.hpp"

namespace turnstile::tests {

struct turn {
    history_kind kind;
    std::uint64_t seed = 0;
};

class fresh_turns {
public:
    static constexpr std::uint64_t k_first = 200'001;
    static constexpr std::uint64_t k_last = 9'999'999;
    static constexpr std::uint64_t k_block = 100;

    explicit fresh_turns(std::uint64_t drawn_from) : source_{drawn_from} {}

    [[nodiscard]] turn next() {
        if (left_ == 0) begin_block();
        --left_;
        return {k_history_kinds[kind_], seed_++};
    }

private:
    void begin_block() {
        kind_ = (kind_ + 1) % k_history_kinds.size();
        seed_ = k_first + source_() % (k_last - k_first + 2 - k_block);
        left_ = k_block;
    }

    base::random source_;
    std::size_t kind_ = k_history_kinds.size() - 1;  // index of the current block's kind
    std::uint64_t seed_ = 0;
    std::uint64_t left_ = 0;
};

}  // namespace turnstile::tests
