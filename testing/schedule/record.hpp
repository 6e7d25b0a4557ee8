// SPDX-License-Identifier: Apache-2.0
// record: one run of a scenario under a schedule, as the process that ran it leaves it: what was decided at each
// scheduling point, and how it ended. It lies in memory that the explorer shares with that process.
//
// Thread safety: none; the process that runs writes, and the explorer reads when it has ended.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace turnstile::schedule {

inline constexpr std::size_t k_most_threads = 256;
inline constexpr std::size_t k_most_processes = 1024;
inline constexpr std::size_t k_most_name = 24;
inline constexpr std::size_t k_most_steps = 200'000;
inline constexpr std::size_t k_most_text = 1024;

// What a thread is about to do, or waits for.
enum class operation : std::uint8_t {
    begin,       // its first step
    lock,        // a mutex
    unlocked,    // has let one go
    wait,        // on a condition
    timed_wait,  // the same, with a deadline
    notified,    // has woken threads that wait on one
    created,     // has started a thread
    join,        // a thread's end
    poll,        // descriptors
    futex,       // to be woken at a word in memory
    yield,       // gives others their turn
    sleep,
    over,  // has ended
};
[[nodiscard]] const char* name_of(operation operation) noexcept;

struct step {
    operation kind{};
    std::uint8_t thread = 0;              // the thread that came to the point
    std::uint8_t chosen = 0;              // the thread that goes on from there
    std::bitset<k_most_threads> enabled;  // the threads that could
    std::uintptr_t object = 0;            // the mutex, the condition
    std::uintptr_t caller = 0;            // where
};

inline constexpr std::size_t k_most_frames = 24;

// Where a thread came to a point last.
struct standing {
    operation wants = operation::over;
    std::uint16_t process = 0;
    std::uintptr_t caller = 0;
    std::optional<std::uint8_t>
        awaits{};  // at the end: the thread that has the mutex which it locks
    std::array<std::uintptr_t, k_most_frames>
        stack{};  // where it let another one go on, if they are wanted
};

enum class verdict : std::uint8_t {
    unfinished,  // it crashed, or something hangs that the scheduler does not see
    passed,
    failed,    // the scenario says so
    deadlock,  // no thread can go on
    livelock,  // more steps than there is room for
};

struct record {
    static constexpr std::uint64_t k_no_fingerprint = 0xcbf29ce484222325U;

    verdict result = verdict::unfinished;
    std::uint32_t steps = 0;
    std::uint32_t switches = 0;
    std::uint64_t fingerprint = k_no_fingerprint;
    std::int64_t true_time = 0;  // since it began, in nanoseconds
    bool wants_stacks = false;   // costs time
    bool timed_out = false;      // in real time
    std::uint8_t current = 0;    // the thread that has its turn, or had it at the end
    std::array<char, k_most_text> text{};
    std::array<standing, k_most_threads> threads{};
    std::array<std::array<char, k_most_name>, k_most_processes> process_names{};
    std::array<step, k_most_steps> trace{};  // the latest ones, each at its number modulo the size

    // FNV-1a over 64-bit words.
    void mix(std::uint64_t word) noexcept { fingerprint = (fingerprint ^ word) * 0x100000001b3U; }
};

}  // namespace turnstile::schedule
