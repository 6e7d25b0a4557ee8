// SPDX-License-Identifier: Apache-2.0
// address_list: the addresses of trusted proxies: "127.0.0.1", "10.0.0.0/8", "fd00::/8".
//
// Thread safety: a value; const members from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::admin {

// Returns the 4 or 16 bytes of a numeric address. An IPv4 address inside IPv6 has 4 bytes. Empty if `text` is not an
// address.
[[nodiscard]] std::string address_bytes(std::string_view text);

class address_list {
public:
    address_list() = default;
    // Parses the addresses. Throws std::runtime_error if a text is neither an address nor an address with a prefix
    // length.
    explicit address_list(const std::vector<std::string>& texts);

    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
    [[nodiscard]] bool include(std::string_view address) const;

private:
    struct block {
        std::string bytes;
        std::size_t bits = 0;
    };
    std::vector<block> blocks_;
};

}  // namespace turnstile::admin
