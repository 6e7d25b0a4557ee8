// SPDX-License-Identifier: Apache-2.0
// step: a possible next step in a state of the search; docs/why/exhaustive-search.md explains each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstile::search {

enum class act : std::uint8_t {
    // Steps of the application.
    acquire,
    release,
    // Messages, timers and reconnects: they must happen eventually.
    serve,            // the servers execute the client's oldest request
    serve_backwards,  // the same for set watches: missed events in reverse order
    deliver,          // the client receives its oldest message
    attach,
    timer,
    closes,  // the servers close a session that its client has given up
    reap,    // the servers expire the session of a client that crashed
    pass,    // nothing else can happen: every waiting client's next timer runs
    // Possible steps without a cost.
    late,         // the servers execute the oldest write of a broken connection
    expire,       // the servers close a session that was doomed when its lease was over
    early_timer,  // a timer runs while messages are in progress (bounded separately)
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
    std::uint8_t subject = 0;  // the client, or the number of the znode that is removed by hand
    friend bool operator==(const step&, const step&) = default;
};

[[nodiscard]] const char* name_of(act act) noexcept;

[[nodiscard]] constexpr bool is_fault(act kind) noexcept {
    return kind >= act::cut;
}
// Steps that a history may end without.
[[nodiscard]] constexpr bool is_optional(act kind) noexcept {
    return kind >= act::late;
}

}  // namespace turnstile::search
