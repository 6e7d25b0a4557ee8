// SPDX-License-Identifier: Apache-2.0
// contender_settings: what a contender knows while it handles an event: its constant settings, and the part of the
// session's state that it sees (contender_view).
//
// Thread safety: none needed, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/shared_text.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/queue/znode_texts.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

enum class attempt : std::uint8_t { wait, once };

// contender_settings: the constant settings of one contender.
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

// The part of a contender_view that guarded_writes (guarded_write.hpp) gets as well.
struct session_view {
    bool attached = false;         // true: attached to a server that belongs to a majority
    std::uint64_t connection = 0;  // the number of the latest connection
};

// contender_view: the part of a session's state that a contender sees while it handles one event.
//
// The session fills in the view before the event. Effects of the event do not change the view.
struct contender_view : session_view {
    time_point now{};
    std::int64_t session_id = 0;
    // True if the lease lasts long enough after a grant that the hold's first confirmation (a write that extends the
    // lease) is answered in time (confirmation_pace::lasts).
    bool lease_lasts = false;
    // True if the contender may create its znode now (contender_steps::view_of): the server is suitable, the request
    // window has room, and no other contender or request of this session must go first.
    bool may_enter = true;
    // Facts about the folder that the contender enters (core/session/sole_contender_memory.hpp). omits_list: the
    // contender need not list the folder's children after it has created its znode. sole_number: if the new znode gets
    // this number, no contender is ahead.
    bool omits_list = false;
    std::optional<std::int64_t> sole_number{};
    // Set if no lease can become valid on this connection, so that no contender can be granted. Then the contender
    // fails with this error and creates no znode, which would only block other contenders.
    std::optional<error> no_lease{};
    // A grant is allowed if the contender read its own znode at most this long ago. If another client has written an
    // order to leave since that read, the hold still notices the order in time (confirmation_pace::unseen_for).
    duration unseen_for{};
    double clock_drift = 0;
    acl_policy acl = acl_policy::open;
    create_mode parent_mode = create_mode::container;  // or persistent
    foreign_kind_policy foreign_kinds = foreign_kind_policy::warn;

    // ---- limits for watches ----
    // The greatest number of contenders ahead that one waiter for permits may watch.
    std::size_t most_permits_watched = 0;
    std::size_t bytes_watched = 0;  // bytes of the watched paths, with the chroot before each
    std::size_t most_bytes_watched = 0;
    std::size_t chroot = 0;  // bytes that the servers put before each path

    // The folder's children in the answer that the contender is handling; nullptr if these names were not prepared for
    // several contenders.
    prepared_list* list = nullptr;
};

}  // namespace turnstile::core
