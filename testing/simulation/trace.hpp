// SPDX-License-Identifier: Apache-2.0
// trace: describes the events of a simulated history in sentences for people, and computes the history's fingerprint.
//
// The fingerprint covers every event, printed or not, so that a test can compare two runs of one seed. The trace makes
// a sentence only if a run prints it.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <string>

#include "simulation/drifting_clock.hpp"

namespace turnstile::simulation {

class trace {
public:
    enum class detail { none, full };

    explicit trace(detail wanted) : wanted_{wanted} {}

    // Adds a word to the fingerprint, by FNV-1a over 64-bit words.
    void mix(std::uint64_t word) noexcept { fingerprint_ = (fingerprint_ ^ word) * 0x100000001b3U; }
    [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

    template <std::invocable F>
    void note(instant when, F&& sentence) {
        if (wanted_ == detail::full) add(when, sentence());
    }
    [[nodiscard]] const std::deque<std::string>& lines() const noexcept { return lines_; }

    // Adds a fault to the sentences of the history, and to the list of faults.
    template <std::invocable F>
    void disturb(instant when, std::uint64_t number, F&& sentence) {
        mix(number);
        if (wanted_ == detail::full) add_disturbance(when, number, sentence());
    }
    [[nodiscard]] const std::deque<std::string>& disturbances() const noexcept {
        return disturbances_;
    }

private:
    void add(instant when, const std::string& sentence);
    void add_disturbance(instant when, std::uint64_t number, const std::string& sentence);

    detail wanted_;
    std::uint64_t fingerprint_ = 0xcbf29ce484222325U;
    std::deque<std::string> lines_;
    std::deque<std::string> disturbances_;
};

}  // namespace turnstile::simulation
