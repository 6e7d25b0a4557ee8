// SPDX-License-Identifier: Apache-2.0
// record: one run of a scenario under a schedule: the decision at each scheduling point, and the outcome. It lies in
// memory that the explorer shares with the run's process.
//
// Thread safety: none; the run's process writes, and the explorer reads after that process has ended.
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

// The next operation of a thread, or the operation for which it waits.
enum class operation : std::uint8_t {
    begin,       // starts
    lock,        // takes a mutex
    unlocked,    // has released a mutex
    wait,        // waits on a condition
    timed_wait,  // the same, with a deadline
    notified,    // has notified threads that wait on a condition
    created,     // has started a thread
    join,        // waits for a thread's end
    poll,        // waits for descriptors
    futex,       // waits to be woken at a word in memory
    yield,       // yields to other threads
    sleep,
    over,  // has ended
};
[[nodiscard]] const char* name_of(operation operation) noexcept;

struct step {
    operation kind{};
    std::uint8_t thread = 0;              // the thread that reached the point
    std::uint8_t chosen = 0;              // the thread that continues from there
    std::bitset<k_most_threads> enabled;  // the runnable threads
    std::uintptr_t object = 0;            // the mutex, the condition
    std::uintptr_t caller = 0;            // the call's address
};

inline constexpr std::size_t k_most_frames = 24;

// The latest point of a thread.
struct standing {
    operation wants = operation::over;
    std::uint16_t process = 0;
    std::uintptr_t caller = 0;
    std::optional<std::uint8_t>
        awaits{};  // at the end: the thread that has the mutex that it requests
    std::array<std::uintptr_t, k_most_frames>
        stack{};  // at its latest switch, if stacks are requested
};

enum class verdict : std::uint8_t {
    unfinished,  // crashed, or blocked without the scheduler's knowledge
    passed,
    failed,    // the scenario reports a failure
    deadlock,  // no thread can continue
    livelock,  // more steps than the record can hold
};

struct record {
    static constexpr std::uint64_t k_no_fingerprint = 0xcbf29ce484222325U;

    verdict result = verdict::unfinished;
    std::uint32_t steps = 0;
    std::uint32_t switches = 0;
    std::uint64_t fingerprint = k_no_fingerprint;
    std::int64_t true_time = 0;  // since the start, in nanoseconds
    bool wants_stacks = false;   // slows the run down
    bool timed_out = false;      // in real time
    std::uint8_t current = 0;    // the running thread, or the last one at the end
    std::array<char, k_most_text> text{};
    std::array<standing, k_most_threads> threads{};
    std::array<std::array<char, k_most_name>, k_most_processes> process_names{};
    std::array<step, k_most_steps> trace{};  // the latest steps, each at its number modulo the size

    // FNV-1a over 64-bit words.
    void mix(std::uint64_t word) noexcept { fingerprint = (fingerprint ^ word) * 0x100000001b3U; }
};

}  // namespace turnstile::schedule
