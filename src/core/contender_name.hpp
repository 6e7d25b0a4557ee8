// contender_name: the names that contenders give their znodes.
//
// Ours are Curator's: `_c_<uuid>-lock-` and the number that the servers append (`%010d` of the
// parent's creation counter). Anything that ends in `lock-` and such a number takes part, so Go's
// samuel client (32 hex digits in place of the uuid) and Curator without protection are in the same
// queue. Every other child is foreign and ignored: Curator and Go let one such child block
// everybody (F14).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::core {

// The number at the end of a contender's name, or nothing if the child is foreign. A number is
// exactly what servers write, `%010d`: ten digits, or where a server wrapped at 2^31 a minus sign
// and nine, ten if it takes them.
[[nodiscard]] std::optional<std::int32_t> contender_sequence(std::string_view child) noexcept;

// The name of a new contender, without the number.
[[nodiscard]] std::string contender_prefix(std::string_view guid);

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

}  // namespace turnstile::core
