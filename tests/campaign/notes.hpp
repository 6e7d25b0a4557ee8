// SPDX-License-Identifier: Apache-2.0
// notes: the notes of a campaign's worker process about its actions. A program outside of the library (judge.py) checks
// them.
//
// Each note is one line. The worker only appends to the file, with a single write for each line, so that a killed
// process leaves whole lines. A line is "<ns> <kind> <id> <key>=<value>...", with the time of CLOCK_BOOTTIME;
// records.py reads the notes.
//
// Thread safety: any thread may call all members.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/guard.hpp"

namespace campaign {

using turnstile::boottime_clock;
using time_point = boottime_clock::time_point;

class notes {
public:
    // Throws std::system_error if the file cannot be written.
    explicit notes(const std::string& file);

    // Returns an id for a call and its hold. The id is unique in the file.
    [[nodiscard]] std::uint64_t next_id() noexcept { return ++last_id_; }

    template <class... A>
    void write(time_point at, std::string_view kind, std::uint64_t id, const char* format,
               const A&... values) {
        append(at, kind, id, fmt::format(fmt::runtime(format), values...));
    }

private:
    void append(time_point at, std::string_view kind, std::uint64_t id, const std::string& rest);

    int file_;
    std::atomic<std::uint64_t> last_id_ = 0;
};

[[nodiscard]] inline std::int64_t nanoseconds(time_point t) {
    return t.time_since_epoch().count();
}

// Replaces spaces, so that the text can be a value in a line.
[[nodiscard]] std::string one_word(std::string text);

// Returns "ok", or the error's name and message as one word.
[[nodiscard]] std::string outcome_of(const turnstile::error& why);

}  // namespace campaign
