// SPDX-License-Identifier: Apache-2.0
// record: one run of a scenario: the choice at each scheduling point, and the result. It is in memory that the explorer
// and the run's process share.
//
// Thread safety: none. The run's process writes, and the explorer reads after that process has ended.
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

// The next operation of a thread, or the operation for which the thread waits.
enum class operation : std::uint8_t {
    begin,       // starts to run
    lock,        // takes a mutex
    unlocked,    // has released a mutex
    wait,        // waits on a condition
    timed_wait,  // waits on a condition until a deadline
    notified,    // has notified waiters of a condition
    created,     // has started a thread
    join,        // waits for the end of a thread
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
    std::uint8_t chosen = 0;              // the thread that continues
    std::bitset<k_most_threads> enabled;  // the runnable threads
    std::uintptr_t object = 0;            // address of the mutex or condition
    std::uintptr_t caller = 0;            // address of the call
};

inline constexpr std::size_t k_most_frames = 24;

// A thread at its latest scheduling point.
struct standing {
    operation wants = operation::over;
    std::uint16_t process = 0;
    std::uintptr_t caller = 0;
    std::optional<std::uint8_t>
        awaits{};  // at the end of the run: the thread that has the requested mutex
    std::array<std::uintptr_t, k_most_frames>
        stack{};  // stack at the thread's latest switch, if stacks are wanted
};

enum class verdict : std::uint8_t {
    unfinished,  // the run crashed, or blocked where the scheduler cannot see it
    passed,
    failed,    // the scenario reported a failure
    deadlock,  // no thread can continue
    livelock,  // the record is full
};

struct record {
    static constexpr std::uint64_t k_no_fingerprint = 0xcbf29ce484222325U;

    verdict result = verdict::unfinished;
    std::uint32_t steps = 0;
    std::uint32_t switches = 0;
    std::uint64_t fingerprint = k_no_fingerprint;
    std::int64_t true_time = 0;  // nanoseconds since the start
    bool wants_stacks = false;   // true: records stacks, which is slow
    bool timed_out = false;      // true: the run exceeded its limit of real time
    std::uint8_t current = 0;    // the running thread, or at the end the last one
    std::array<char, k_most_text> text{};
    std::array<standing, k_most_threads> threads{};
    std::array<std::array<char, k_most_name>, k_most_processes> process_names{};
    // The latest steps. Step n is at index n modulo the size.
    std::array<step, k_most_steps> trace{};

    // Adds a word to the fingerprint, by FNV-1a over 64-bit words.
    void mix(std::uint64_t word) noexcept { fingerprint = (fingerprint ^ word) * 0x100000001b3U; }
};

}  // namespace turnstile::schedule
