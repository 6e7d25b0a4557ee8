// SPDX-License-Identifier: Apache-2.0
// contender_name: the names of the contenders' znodes. A name contains the contender's claim, because the queue rule
// sees only names.
//
// | kind       | name                                         | remark                                |
// |------------|----------------------------------------------|---------------------------------------|
// | lock       | `_c_<uuid>-lock-<n>`                         | Curator and Go: a mutex               |
// | latch      | `_c_<uuid>-latch-<n>`                        | Curator: LeaderLatch                  |
// | read       | `_c_<uuid>-__READ__<n>`                      | Curator: a reader                     |
// | write      | `_c_<uuid>-__WRIT__<n>`                      | Curator: a writer                     |
// | upgradable | `_c_<uuid>-__UPGR__-__READ__<n>`             | Curator: a reader                     |
// | upgrade    | `_c_<uuid>-__UPGR__<its n>-__WRIT__<n>`      | Curator: a writer                     |
// | granted    | `_c_<uuid>-__UPGR__<n>-__WRIT__<its n>`      | an upgrade at its reader's position   |
// | permit     | `_c_<uuid>-lease-<n>`                        | for k permits: `-lease<k>-<n>`        |
//
// `<n>` is the number that the servers append (`%010d` of the parent's creation counter). The text before the word that
// names the kind (`-lock-` and others) does not matter. So the contenders of Go's samuel client (32 hex digits instead
// of the uuid) and of Curator without protection join the same queue. Every other child is foreign and ignored; in
// Curator and Go one foreign child blocks every contender (F14 in docs/reference/failures.md).
//
// An upgrade's name has two numbers: the number that the servers gave to the upgrade, and `<its n>`, the number of its
// upgradable contender. The number at the end of the name is the upgrade's position in the queue. Before the upgrade is
// granted, the two numbers change places (queue_rule.hpp), which moves the upgrade forward to the position of its
// upgradable contender.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::core {

enum class claim_kind : std::uint8_t { lock, latch, read, write, upgradable, upgrade, permit };

// The family of a contender. Contenders of one family share a queue; contenders of another family are foreign.
enum class contender_family { lock, latch, read_write, semaphore };

[[nodiscard]] constexpr contender_family family(claim_kind kind) noexcept {
    switch (kind) {
        case claim_kind::lock: return contender_family::lock;
        case claim_kind::latch: return contender_family::latch;
        case claim_kind::permit: return contender_family::semaphore;
        case claim_kind::read:
        case claim_kind::write:
        case claim_kind::upgradable:
        case claim_kind::upgrade: break;
    }
    return contender_family::read_write;
}

// The kind of lock, and the number of permits, that a contender requests.
struct claim {
    claim_kind kind = claim_kind::lock;
    std::int32_t permits = 1;  // for a semaphore's contender
    // For an upgrade: the number behind `__UPGR__` in its name. At first this is the number of the upgradable
    // contender. After the upgrade has moved to that contender's position, it is the number that the servers gave to
    // the upgrade.
    std::int32_t upgrades = 0;
    friend bool operator==(const claim&, const claim&) = default;
};

struct contender_name {
    claim wants;
    std::int32_t sequence = 0;
    friend bool operator==(const contender_name&, const contender_name&) = default;
};

// Parses a child's name. Returns nothing if the child is no contender. The number must have the form of `%010d`: ten
// digits, or after a wrap at 2^31 a minus sign with nine or ten digits.
[[nodiscard]] std::optional<contender_name> parse_contender(std::string_view child) noexcept;

// Returns the number at the end of a contender's name; nothing if the child is no contender.
[[nodiscard]] std::optional<std::int32_t> contender_sequence(std::string_view child) noexcept;
// Returns the number at the end of the name, if the child is a contender of the family `of`. Otherwise returns nothing.
[[nodiscard]] std::optional<std::int32_t> contender_sequence(std::string_view child,
                                                             contender_family of) noexcept;

// Returns the name with which a new contender is created, without the number that the servers append.
[[nodiscard]] std::string contender_prefix(std::string_view guid, const claim& wants = {});
// Returns the whole name of a contender, with the number `sequence` that the servers have appended.
[[nodiscard]] std::string contender_child(std::string_view guid, const claim& wants,
                                          std::int32_t sequence);
// Returns the length of a contender's name, with ten characters for the number that the servers append.
[[nodiscard]] std::size_t contender_size(const claim& wants);
// Returns the name that the contender `child` gets when its kind becomes `kind`. The number stays the same.
[[nodiscard]] std::string renamed_contender(std::string_view child, claim_kind kind);
// Returns the name of the upgrade `child` after its two numbers have changed places.
[[nodiscard]] std::string upgrade_in_other_place(std::string_view child);

// True if the attempt with this `guid` created the child.
[[nodiscard]] bool made_by(std::string_view child, std::string_view guid) noexcept;

// Returns the GUID in a contender's name that has Turnstile's form; empty for other names.
[[nodiscard]] std::string_view contender_guid(std::string_view child) noexcept;

// Returns the distance of `other` behind `self` in the order of creation; negative if `other` is ahead. The folder's
// counter of creates may have wrapped at 2^31 between the two numbers. The function is no strict weak order, so it must
// not be used to sort.
[[nodiscard]] constexpr std::int32_t sequence_distance(std::int32_t other,
                                                       std::int32_t self) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(other) -
                                     static_cast<std::uint32_t>(self));
}

// The two numbers in an upgrade's name.
struct upgrade_numbers {
    std::int32_t came_with = 0;
    std::int32_t base = 0;  // the number of the upgradable contender
    bool at_base = false;   // true: the upgrade has that contender's position
};
[[nodiscard]] constexpr upgrade_numbers numbers_of(const contender_name& upgrade) noexcept {
    const auto other = upgrade.wants.upgrades;
    if (sequence_distance(other, upgrade.sequence) > 0) return {other, upgrade.sequence, true};
    return {upgrade.sequence, other, false};
}

// True if the number is so near the maximum of the folder's counter of creates that contenders with larger numbers may
// have come earlier. The counter of a ZooKeeper 3.8.0 server stays at 2^31 - 1. While creates are in progress, such a
// server counts on into the negative numbers. After the commit of these creates the server continues with 2^31 - 1. So
// a later contender may have the same number or a smaller number, and only the czxids give the order.
[[nodiscard]] constexpr bool at_counter_end(std::int32_t sequence) noexcept {
    constexpr std::int32_t k_most_under_way = 1'000'000;
    using limits = std::numeric_limits<std::int32_t>;
    return sequence == limits::max() || sequence < limits::min() + k_most_under_way;
}

// Returns the number by which contenders are ordered. It is the same number for all contenders with at_counter_end().
[[nodiscard]] constexpr std::int32_t order_number(std::int32_t sequence) noexcept {
    return at_counter_end(sequence) ? std::numeric_limits<std::int32_t>::max() : sequence;
}

}  // namespace turnstile::core
