// SPDX-License-Identifier: Apache-2.0
// fencing_token: a value that identifies a grant and orders grants. Of two grants that exclude each other, the later
// grant has the larger token (promise G6 in docs/guarantees.md).
//
// Pass the token to the store that the lock protects. A store that remembers the largest token, and refuses smaller
// tokens, cannot be harmed by a holder that was paused past its lease (M. Kleppmann, "How to do distributed locking",
// 2016).
//
//     storage.write(record, hold->fencing_token().to_string());
//
// A token consists of a zxid and a counter. The servers give each transaction a zxid, count upwards, and never use a
// zxid twice. The zxid of a token is:
// - usually the czxid of the contender's znode, which is the zxid of the transaction that created the znode;
// - for a shared_mutex, the pzxid of the lock's znode: the zxid of the latest create or removal of a contender before
//   the grant. A shared_mutex may grant in another order than contenders came (docs/why/shared-mutex.md).
//
// The counter is 0 at first. It rises when threads of one process hand the lock over under one znode, and when a hold
// of a shared_mutex changes its kind. The sequence number in the znode's name is not a token: it has 32 bits, ends at
// 2^31, and restarts when the parent znode is created again.
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
    // A token from its two parts, the zxid and the counter.
    constexpr explicit fencing_token(std::uint64_t zxid, std::uint32_t counter = 0) noexcept
        : zxid_{zxid}, counter_{counter} {}

    // Returns the first part, a zxid.
    [[nodiscard]] constexpr std::uint64_t zxid() const noexcept { return zxid_; }
    // Returns the second part, the counter.
    [[nodiscard]] constexpr std::uint32_t counter() const noexcept { return counter_; }

    // Returns "0x500000007" or, with a counter, "0x500000007+3".
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    // Returns two hexadecimal digits for each packed byte, like "000000050000000700000000". These texts of 24
    // characters sort in the order of the tokens, for SQL, shells and file names. `turnstile run` puts this text into
    // TURNSTILE_TOKEN.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_hex() const;
    // Parses the text of to_string() or to_hex(). For any other text the error is `bad_option`, and the message quotes
    // the text.
    [[nodiscard]] TURNSTILE_EXPORT static result<fencing_token> parse(std::string_view text);

    // A token as bytes: the zxid, then the counter, both big-endian. memcmp() sorts these bytes in the order of the
    // tokens.
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
