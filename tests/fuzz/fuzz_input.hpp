// SPDX-License-Identifier: Apache-2.0
// Helpers for the fuzz targets: they read numbers and lines from the input, and end the program when a rule is broken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::fuzz {

// Reads numbers from the input. After the end of the input, each number is 0.
class byte_source {
public:
    byte_source(const std::uint8_t* data, std::size_t size) : data_{data}, size_{size} {}

    [[nodiscard]] bool empty() const noexcept { return at_ == size_; }
    std::uint8_t byte() noexcept { return at_ == size_ ? std::uint8_t{0} : data_[at_++]; }
    std::uint32_t word() noexcept {
        std::uint32_t value = 0;
        for (int i = 0; i != 4; ++i) value = (value << 8U) | byte();
        return value;
    }
    std::string_view rest() noexcept {
        const std::string_view text{reinterpret_cast<const char*>(data_) + at_, size_ - at_};
        at_ = size_;
        return text;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_;
    std::size_t at_ = 0;
};

// Returns the first `count` lines of the text. After the end of the text the lines are empty.
inline std::vector<std::string> lines_of(std::string_view text, std::size_t count) {
    std::vector<std::string> lines;
    while (lines.size() < count) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Ends the program unless `holds` is true. The fuzzer then reports the input.
inline void expect(bool holds, const char* rule, std::string_view about = {}) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n%.*s\n", rule, static_cast<int>(about.size()), about.data());
    std::abort();
}

inline bool is_printable_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace turnstile::fuzz
