// SPDX-License-Identifier: Apache-2.0
// contender_settings: the constant settings of one contender. Thread safety: none needed, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/shared_text.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/znode_texts.hpp"
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
    // For a semaphore's contender: the number of permits that the semaphore must have; a new semaphore gets this
    // number. Nothing: any number is right. The contender compares the number only once, because other clients may
    // change the semaphore's number later.
    std::optional<std::int32_t> limit{};
    bool agreed = false;  // an earlier contender of this semaphore has compared the limit
    // True: the contender reports once after its grant when another contender queues behind it.
    bool tells_contended = false;
    // True: contender_data() appends " resource=" and the folder to `data`, so that many folders can share one text.
    bool data_names_folder = false;
    // For a lock or latch: if the folder has at least this many children, the next holder reads the low-water mark in
    // the folder's data (core/queue/znode_texts.hpp), and does not list the children.
    std::uint32_t long_queue = k_long_queue;
    // For a lock: the time after a holder's crash in which no contender gets the lock. If it is zero, there is no
    // delay, and no contender writes or reads the mark that shows a crash (core/queue/znode_texts.hpp).
    duration lock_delay{};
    friend bool operator==(const contender_settings&, const contender_settings&) = default;
};

[[nodiscard]] std::string contender_data(const contender_settings& settings);
// Returns the number of bytes that the znode takes in the transaction that closes its session.
[[nodiscard]] std::size_t contender_bytes(const std::string& folder, const claim& wants);

}  // namespace turnstile::core
