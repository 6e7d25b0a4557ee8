// SPDX-License-Identifier: Apache-2.0
// trace: the story of a history for people, and the history's fingerprint.
//
// The fingerprint covers every event, printed or not, so that runs of one seed can be compared. Sentences are made only
// if they are printed.
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

    // Records a fault in the story, and in the list of faults.
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
