// SPDX-License-Identifier: Apache-2.0
// digest: a 64-bit hash of a series of values. Its users still compare series with equal hashes, so a collision only
// costs time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace turnstile::search {

class digest {
public:
    template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>) void add(T number) noexcept {
        value_ = mix(value_ ^ mix(static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U));
    }
    template <class Clock, class Duration>
    void add(std::chrono::time_point<Clock, Duration> when) noexcept {
        add(when.time_since_epoch().count());
    }
    void add(std::string_view text) noexcept {
        std::uint64_t sum = 0xcbf29ce484222325U;  // the start value of FNV-1a
        for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        add(sum);
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
    // The finalizer of SplitMix64.
    static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    std::uint64_t value_ = 0;
};

}  // namespace turnstile::search
