// SPDX-License-Identifier: Apache-2.0
// What an acquisition is asked for. A value that the acquisition never changes; thread safety: none needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/shared_text.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/low_water_mark.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::core {

enum class attempt : std::uint8_t { wait, once };

struct acquisition_settings {
    base::shared_text folder;  // the lock's path
    base::shared_text data;    // of the contender znode
    attempt mode = attempt::wait;
    session_loss_policy waiters = session_loss_policy::enter_again;
    claim wants{};
    // Permit: how many permits the semaphore must have, and gets if it is new; none: any number. Compared once:
    // after that the number may have been set anew.
    std::optional<std::int32_t> limit{};
    bool agreed = false;  // an earlier acquisition of this semaphore has compared it
    // Announced once, after the grant, as soon as others queue behind it.
    bool tells_contended = false;
    // The data gets " resource=" and the folder added to it: the rest is the same text for many folders.
    bool data_names_folder = false;
    // Lock, latch: with so many children in the folder, hand-overs go by its low-water mark.
    std::uint32_t long_queue = k_long_queue;
    // Lock: the time after its holder's crash in which no contender is granted it; zero, as with all other kinds: none of
    // this. Then no crash mark is written, and none is read.
    duration lock_delay{};
    friend bool operator==(const acquisition_settings&, const acquisition_settings&) = default;
};

// Of the contender's znode, as it is written.
[[nodiscard]] std::string contender_data(const acquisition_settings& settings);
// The bytes that a contender's znode takes in the transaction that would close its session.
[[nodiscard]] std::size_t contender_bytes(const std::string& folder, const claim& wants);

}  // namespace turnstile::core
