// SPDX-License-Identifier: Apache-2.0
// contender_name: the names that contenders give their znodes. What a contender wants is in its name,
// since the queue rule sees only names.
//
// | kind       | name                                         | also known to                         |
// |------------|----------------------------------------------|---------------------------------------|
// | lock       | `_c_<uuid>-lock-<n>`                         | Curator and Go: a mutex               |
// | latch      | `_c_<uuid>-latch-<n>`                        | Curator: LeaderLatch                  |
// | read       | `_c_<uuid>-__READ__<n>`                      | Curator: a reader                     |
// | write      | `_c_<uuid>-__WRIT__<n>`                      | Curator: a writer                     |
// | upgradable | `_c_<uuid>-__UPGR__-__READ__<n>`             | Curator takes it for a reader         |
// | upgrade    | `_c_<uuid>-__UPGR__<its n>-__WRIT__<n>`      | Curator takes it for a writer         |
// | granted    | `_c_<uuid>-__UPGR__<n>-__WRIT__<its n>`      | the same, in its reader's place       |
// | permit     | `_c_<uuid>-lease-<n>`, of k: `-lease<k>-<n>` | none                                  |
//
// `<n>` is the number that the servers append (`%010d` of the parent's creation counter). What stands
// before the marker does not matter, so Go's samuel client (32 hex digits in place of the uuid) and
// Curator without protection are in the same queue. Every other child is foreign and ignored: Curator
// and Go let one foreign child block every contender (F14).
//
// An upgrade has two numbers: the one that it came with, and "its n", that of its upgradable contender. It
// stands in the queue at the one at the end; before it is granted the two change places (queue_rule.hpp). The
// upgradable contender came first, which tells them apart.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::core {

enum class contender_kind : std::uint8_t { lock, latch, read, write, upgradable, upgrade, permit };

// Kinds that queue for the same thing. Contenders of other families are foreign.
enum class contender_family { lock, latch, read_write, semaphore };

[[nodiscard]] constexpr contender_family family(contender_kind kind) noexcept {
    switch (kind) {
        case contender_kind::lock: return contender_family::lock;
        case contender_kind::latch: return contender_family::latch;
        case contender_kind::permit: return contender_family::semaphore;
        case contender_kind::read:
        case contender_kind::write:
        case contender_kind::upgradable:
        case contender_kind::upgrade: break;
    }
    return contender_family::read_write;
}

// What a contender wants.
struct claim {
    contender_kind kind = contender_kind::lock;
    std::int32_t permits = 1;  // permit: so many at once
    // Upgrade: the number of the upgradable contender that it belongs to; once it stands in the place of
    // that one, the number that it came with.
    std::int32_t upgrades = 0;
    friend bool operator==(const claim&, const claim&) = default;
};

struct contender_name {
    claim wants;
    std::int32_t sequence = 0;
    friend bool operator==(const contender_name&, const contender_name&) = default;
};

// What the name of a child says, or nothing if the child is foreign. A number is exactly what servers
// write, `%010d`: ten digits, or where a server wrapped at 2^31 a minus sign and nine, ten if it takes
// them.
[[nodiscard]] std::optional<contender_name> parse_contender(std::string_view child) noexcept;

// The number at the end of a contender's name, or nothing if the child is foreign.
[[nodiscard]] std::optional<std::int32_t> contender_sequence(std::string_view child) noexcept;
// The same for one family's contenders.
[[nodiscard]] std::optional<std::int32_t> contender_sequence(std::string_view child,
                                                             contender_family of) noexcept;

// The name of a new contender, without the number.
[[nodiscard]] std::string contender_prefix(std::string_view guid, const claim& wants = {});
// The whole name, with the number that the servers put behind it.
[[nodiscard]] std::string contender_child(std::string_view guid, const claim& wants,
                                          std::int32_t sequence);
// The number of its characters; the number that the servers put behind it has ten.
[[nodiscard]] std::size_t contender_size(const claim& wants);
// The name of a contender of another kind that keeps the place of `child`.
[[nodiscard]] std::string renamed_contender(std::string_view child, contender_kind kind);
// The name of the same upgrade in the other of its two places.
[[nodiscard]] std::string upgrade_in_other_place(std::string_view child);

// True if the child was created by the attempt that made `guid`.
[[nodiscard]] bool made_by(std::string_view child, std::string_view guid) noexcept;

// The GUID in the name of a contender that is named as ours are, or nothing.
[[nodiscard]] std::string_view contender_guid(std::string_view child) noexcept;

// How far `other` stands behind `self` (negative: ahead) in the order of creation, also across a
// counter that wrapped at 2^31. No strict weak order: compare with self, do not sort.
[[nodiscard]] constexpr std::int32_t sequence_distance(std::int32_t other,
                                                       std::int32_t self) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(other) -
                                     static_cast<std::uint32_t>(self));
}

// The two numbers of an upgrade.
struct upgrade_numbers {
    std::int32_t came_with = 0;
    std::int32_t base = 0;  // of its upgradable contender
    bool at_base = false;   // stands there
};
[[nodiscard]] constexpr upgrade_numbers numbers_of(const contender_name& upgrade) noexcept {
    const auto other = upgrade.wants.upgrades;
    if (sequence_distance(other, upgrade.sequence) > 0) return {other, upgrade.sequence, true};
    return {upgrade.sequence, other, false};
}

// Whether a contender with a larger number may have come earlier. A server whose counter sticks at 2^31-1 (3.8.0)
// counts on from there, to the negative numbers, while creates are under way, and begins with 2^31-1 again when
// they are committed. So contenders that are made one after the other may have the same number, or a smaller one: only
// their czxids tell the order.
[[nodiscard]] constexpr bool at_counter_end(std::int32_t sequence) noexcept {
    constexpr std::int32_t k_most_under_way = 1'000'000;
    using limits = std::numeric_limits<std::int32_t>;
    return sequence == limits::max() || sequence < limits::min() + k_most_under_way;
}

// The number by which contenders are ordered: one and the same for all that were created at the counter's end.
[[nodiscard]] constexpr std::int32_t order_number(std::int32_t sequence) noexcept {
    return at_counter_end(sequence) ? std::numeric_limits<std::int32_t>::max() : sequence;
}

}  // namespace turnstile::core
