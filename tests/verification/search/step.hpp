// SPDX-License-Identifier: Apache-2.0
// step: one step of the search (docs/why/checks.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::search {

enum class act : std::uint8_t {
    // Steps of the application.
    acquire,
    release,
    // While one of the next steps is possible, a history does not end.
    serve,            // the servers execute the client's oldest request
    serve_backwards,  // the servers set watches again, and send the missed events in reverse order
    deliver,          // the client receives its oldest message
    attach,
    timer,
    closes,  // the servers close a session that its client gave up
    reap,    // the servers expire a crashed client's session
    pass,    // nothing else can happen, so every waiting client's next timer runs
    // A history may end without the next steps, and they do not count as faults.
    late,    // the servers execute the oldest write of a broken connection
    expire,  // the servers close a session that they selected for expiry after the end of its lease
    early_timer,  // a timer runs while messages are in progress (limited by `early_timers`)
    // Faults.
    cut,
    silence,
    crash,
    cancel,
    remove_by_hand,
};

inline constexpr std::size_t k_acts = static_cast<std::size_t>(act::remove_by_hand) + 1;

struct step {
    act kind{};
    std::uint8_t subject = 0;  // number of the client, or of the znode that an operator removes
    friend bool operator==(const step&, const step&) = default;
};

[[nodiscard]] const char* name_of(act act) noexcept;

[[nodiscard]] constexpr bool is_fault(act kind) noexcept {
    return kind >= act::cut;
}
// Returns true for a step that need not happen before a history ends.
[[nodiscard]] constexpr bool is_optional(act kind) noexcept {
    return kind >= act::late;
}

}  // namespace turnstile::search
