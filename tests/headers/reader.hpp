// SPDX-License-Identifier: Apache-2.0
// reader: takes the place of the user's function that an example calls. It reads all its arguments, so that the address
// sanitizer finds dangling references.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>

#include "client/support.hpp"

namespace turnstile::tests {

class reader {
public:
    template <class... T>
    void operator()(const T&... given) const {
        (read(given), ...);
        ++calls_;
    }
    [[nodiscard]] int calls() const noexcept { return calls_; }

private:
    static void look_at(const void* memory, std::size_t size) {
        const auto* const bytes = static_cast<const volatile unsigned char*>(memory);
        for (std::size_t i = 0; i < size; ++i) static_cast<void>(bytes[i]);
    }
    template <class T>
    static void read(const T& given) {
        if constexpr (std::convertible_to<const T&, std::string_view>) {
            const std::string_view text{given};
            look_at(text.data(), text.size());
        } else if constexpr (std::ranges::range<const T>) {
            for (const auto& part : given) read(part);
        } else {
            look_at(&given, sizeof given);
        }
    }

    mutable std::atomic<int> calls_{0};
};

// Returns the connect string of a tree that no other test uses.
inline std::string own_tree() {
    return "local:" + fresh_tree();
}

}  // namespace turnstile::tests
