// SPDX-License-Identifier: Apache-2.0
// fencing_token: a number of a grant. Of two grants that exclude each other, the later one has the larger token (G6).
//
// Pass it to the store that the lock protects. A store that remembers the largest token, and refuses smaller ones,
// cannot be harmed by a holder that was paused past its lease (M. Kleppmann, "How to do distributed locking", 2016).
//
//     storage.write(record, hold->fencing_token().to_string());
//
// A token consists of the czxid of the contender's znode and a counter. The czxid is the number of the transaction that
// created the znode; the servers only count it up, and never use it twice. The counter is 0 unless a lock is handed
// over under one znode. The sequence number in the znode's name is no token: it has 32 bits, restarts with its parent,
// and ends at 2^31.
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

// A token. The default is the zero token, which is smaller than the token of every grant.
class fencing_token {
public:
    // Number of bytes of a packed token.
    static constexpr std::size_t k_packed_size = 12;

    // The zero token.
    constexpr fencing_token() noexcept = default;
    // A token from its parts: the czxid of the contender's znode, and the counter of handovers.
    constexpr explicit fencing_token(std::uint64_t zxid, std::uint32_t counter = 0) noexcept
        : zxid_{zxid}, counter_{counter} {}

    // Returns the czxid of the znode.
    [[nodiscard]] constexpr std::uint64_t zxid() const noexcept { return zxid_; }
    // Returns the counter of handovers.
    [[nodiscard]] constexpr std::uint32_t counter() const noexcept { return counter_; }

    // Returns "0x500000007" or, with a counter, "0x500000007+3".
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    // Returns two digits for each packed byte, "000000050000000700000000": 24 characters that sort as the tokens do,
    // for SQL, shells and file names. `turnstile run` puts this text into TURNSTILE_TOKEN.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_hex() const;
    // Parses the text of to_string() or to_hex(). `bad_option` for any other text, which the message quotes.
    [[nodiscard]] TURNSTILE_EXPORT static result<fencing_token> parse(std::string_view text);

    // The zxid, then the counter, both big-endian: the bytes sort (memcmp) as the tokens do.
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
