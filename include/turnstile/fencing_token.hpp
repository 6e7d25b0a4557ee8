// SPDX-License-Identifier: Apache-2.0
// fencing_token: which of two grants is the later one.
//
// Purpose: a resource that remembers the largest token it has seen and refuses smaller ones cannot
// be harmed by a holder that was paused past its lease (M. Kleppmann, "How to do distributed
// locking", 2016). Of two grants that exclude each other the later has the larger token (G6).
//
// It is the czxid of the contender's znode, the number of the transaction that created it, which
// the servers never use twice and only count up; and a counter that is 0 unless a lock is handed on
// under one znode. The sequence number in a znode's name would not do: it has 32 bits, restarts
// with its parent, and ends at 2^31.
//
//     storage.write(record, hold->fencing_token().to_string());
//
// Thread safety: a value.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/result.hpp"

namespace turnstile {

class fencing_token {
public:
    static constexpr std::size_t k_packed_size = 12;

    constexpr fencing_token() noexcept = default;
    constexpr explicit fencing_token(std::uint64_t zxid, std::uint32_t counter = 0) noexcept
        : zxid_{zxid}, counter_{counter} {}

    [[nodiscard]] constexpr std::uint64_t zxid() const noexcept { return zxid_; }
    [[nodiscard]] constexpr std::uint32_t counter() const noexcept { return counter_; }

    // "0x500000007" or, with a counter, "0x500000007+3".
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    // Two digits for each packed byte, "000000050000000700000000": 24 characters that sort as the tokens do, for SQL,
    // shells and file names. What `turnstile run` puts into TURNSTILE_TOKEN.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_hex() const;
    // The inverse of to_string and of to_hex; `errc::bad_option` names a text of another form.
    [[nodiscard]] TURNSTILE_EXPORT static result<fencing_token> parse(std::string_view text);

    // Big-endian zxid, then counter: the bytes sort (memcmp) as the tokens do.
    using packed = std::array<unsigned char, k_packed_size>;
    [[nodiscard]] TURNSTILE_EXPORT packed pack() const noexcept;
    [[nodiscard]] TURNSTILE_EXPORT static fencing_token unpack(const packed& bytes) noexcept;

    friend constexpr auto operator<=>(const fencing_token&,
                                      const fencing_token&) noexcept = default;

private:
    std::uint64_t zxid_ = 0;
    std::uint32_t counter_ = 0;
};

}  // namespace turnstile
