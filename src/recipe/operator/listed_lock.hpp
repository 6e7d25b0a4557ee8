// SPDX-License-Identifier: Apache-2.0
// listed_lock: a lock whose folder was listed. The names of its contenders are known, but no contender's znode was
// read. The names say which contenders have a grant, so the client needs no contender in the queue. In a semaphore that
// has shrunk, holders beyond the new number of permits count as waiters.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::detail {

// The names of the znodes that kazoo's lock recipes create.
//
// | recipe           | name                       | waits for these znodes ahead      |
// |------------------|----------------------------|-----------------------------------|
// | Lock, WriteLock  | `<32 hex>__lock__<n>`      | all                               |
// | ReadLock         | `<32 hex>__rlock__<n>`     | names with `__lock__`             |
//
// This library treats these znodes as foreign: they block none of its contenders (core/queue/contender_name.hpp). A
// survey shows them.
struct kazoo_name {
    bool reads = false;
    std::int32_t sequence = 0;
    friend bool operator==(const kazoo_name&, const kazoo_name&) = default;
};

[[nodiscard]] std::optional<kazoo_name> parse_kazoo(std::string_view child) noexcept;

// Returns the kind of lock for which this child is a contender; nothing if the child is no contender.
[[nodiscard]] std::optional<lock_kind> lock_of(const std::string& child);

// Divides the lock's contenders, which are in the order of arrival, into holders and waiters, by the lock's kind and
// permits. core/queue/queue_rule.hpp decides whether one given contender has a grant; tell_apart() decides this for all
// contenders of a queue in one pass. For an upgrade, which is rare, tell_apart() applies the rule in queue_rule.hpp. A
// test compares the two rules.
void tell_apart(surveyed_lock& lock, std::vector<contender> queue);

// The folder of the servers' own znodes: configuration and quotas.
inline constexpr const char* k_servers_own = "/zookeeper";
inline constexpr std::size_t k_most_folders = 100'000;

struct listed_lock {
    lock_kind kind = lock_kind::mutex;
    std::vector<std::string> names;  // in the order of arrival
};

struct listed_folder {
    std::vector<listed_lock> locks;
    std::vector<std::string> folders;  // names of children that are no contenders
};

// Divides the children of a folder into contenders, which it groups by the kind of lock, and further folders.
[[nodiscard]] listed_folder sort_children(std::vector<std::string> children);

// Describes a lock's contender from the answer to a read of its znode. The caller must set the position.
[[nodiscard]] contender describe_listed(lock_kind kind, const std::string& name,
                                        const core::reply& answer);

[[nodiscard]] error too_many_folders(const std::string& folder);

}  // namespace turnstile::detail
