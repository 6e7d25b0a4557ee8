// SPDX-License-Identifier: Apache-2.0
// Converts a length of time by one clock to a length by another clock whose rate differs by at most `drift`, a
// fraction.
//
//     shortened(10s, 0.001)   // 9.99 s: the lease of a session with a timeout of 10 s
//     lengthened(10s, 0.001)  // 10.01 s: the wait after which 10 s have passed by either clock
//
// Thread safety: pure functions.
#pragma once

#include <chrono>

namespace turnstile::support {

[[nodiscard]] inline std::chrono::nanoseconds scaled(std::chrono::nanoseconds length,
                                                     double factor) {
    return std::chrono::nanoseconds{
        static_cast<std::chrono::nanoseconds::rep>(static_cast<double>(length.count()) * factor)};
}
// Returns a length of time by the caller's clock. During this time, a clock whose rate differs by at most `drift`
// advances by at most `length`.
[[nodiscard]] inline std::chrono::nanoseconds shortened(std::chrono::nanoseconds length,
                                                        double drift) {
    return length - scaled(length, drift);
}
// Returns a length of time by the caller's clock. During this time, a clock whose rate differs by at most `drift`
// advances by at least `length`.
[[nodiscard]] inline std::chrono::nanoseconds lengthened(std::chrono::nanoseconds length,
                                                         double drift) {
    return scaled(length, 1 + drift);
}

}  // namespace turnstile::support
