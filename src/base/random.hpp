// SPDX-License-Identifier: Apache-2.0
// random: pseudo-random numbers as a value, and GUIDs made of them.
//
// Purpose: the simulator copies, compares and replays the core's values. So the core's randomness is a value, too: 32
// bytes that a seed determines. In production the kernel supplies the seed.
//
//     base::random source = base::random::from_system();
//     std::string name = "_c_" + base::make_guid(source) + "-lock-";
//
// A source from from_system() asks the kernel for each GUID. Two virtual machines that were started from one snapshot
// have the same memory, so GUIDs from a source's state would be equal in both machines. GUIDs from the kernel differ if
// the hypervisor notifies the kernel of the copy (vmgenid).
//
// The generator is xoshiro256** 1.0 by David Blackman and Sebastiano Vigna (2018), its state filled
// from a 64-bit seed by SplitMix64; both in the public domain, https://prng.di.unimi.it. Do not use it for secrets.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace turnstile::base {

class random {
public:
    using result_type = std::uint64_t;

    explicit random(std::uint64_t seed) noexcept;
    // Returns a source with a seed of 256 bits from the kernel, so that the numbers of different processes differ.
    static random from_system();

    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
    result_type operator()() noexcept;

    // Returns 128 bits for a GUID. Throws std::system_error.
    [[nodiscard]] std::array<std::uint8_t, 16> draw_guid();

    // Returns a number in [0, 1); all multiples of 2^-53 are equally likely.
    double uniform01() noexcept;

    friend bool operator==(const random&, const random&) noexcept = default;

private:
    explicit random(const std::array<std::uint64_t, 4>& state) noexcept : state_{state} {}

    std::array<std::uint64_t, 4> state_;
    bool of_kernel_ = false;
};

using guid_bytes = std::array<unsigned char, 16>;

// Returns 16 bytes as a UUID (RFC 4122) of 36 lower-case characters. The version and the variant of the UUID replace
// some bits of `bytes`.
[[nodiscard]] std::string guid_text(guid_bytes bytes, unsigned version);

// Returns a version-4 UUID of 36 lower-case characters.
[[nodiscard]] std::string make_guid(random& source);

}  // namespace turnstile::base
