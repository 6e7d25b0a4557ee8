// SPDX-License-Identifier: Apache-2.0
// Settings of a contender, which never changes them. A value. Thread safety: none needed.
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

struct contender_settings {
    base::shared_text folder;  // the lock's path
    base::shared_text data;    // data of the contender's znode
    attempt mode = attempt::wait;
    session_loss_policy waiters = session_loss_policy::enter_again;
    claim wants{};
    // Permit: the number of permits that the semaphore must have, and gets if it is new. None: any number. Compared
    // once: later the number may have been set to another value.
    std::optional<std::int32_t> limit{};
    bool agreed = false;  // an earlier contender of this semaphore has compared the limit
    // True: report once after the grant, as soon as others queue behind the hold.
    bool tells_contended = false;
    // True: append " resource=" and the folder to the data. Then many folders share one text.
    bool data_names_folder = false;
    // Lock, latch: from this number of children on, hand-overs use the folder's low-water mark.
    std::uint32_t long_queue = k_long_queue;
    // Lock: the time after a holder's crash for which no contender is granted. Zero, and for all other kinds: no delay,
    // and no crash mark is written or read.
    duration lock_delay{};
    friend bool operator==(const contender_settings&, const contender_settings&) = default;
};

// The data of the contender's znode, as it is written.
[[nodiscard]] std::string contender_data(const contender_settings& settings);
// The bytes that a contender's znode takes in the transaction that would close its session.
[[nodiscard]] std::size_t contender_bytes(const std::string& folder, const claim& wants);

}  // namespace turnstile::core
