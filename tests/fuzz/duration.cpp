// SPDX-License-Identifier: Apache-2.0
// Fuzzes durations as people type them: the parser refuses a text or reads a value from 0 to ten years. It reads a
// duration that was printed to the millisecond as the same value. A duration printed in two units is wrong by less than
// the smaller unit.
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>

#include "cli/duration.hpp"
#include "fuzz_input.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;
using std::chrono::milliseconds;
using std::chrono::seconds;

seconds unit_of(std::string_view name) {
    if (name == "d") return std::chrono::days{1};
    if (name == "h") return std::chrono::hours{1};
    if (name == "min") return std::chrono::minutes{1};
    expect(name == "s", "a unit is unknown", name);
    return seconds{1};
}

// Checks a duration in the form "5 min 3 s".
void check_words(seconds span) {
    const auto text = cli::duration_text(span);
    seconds told{};
    seconds smallest{};
    for (std::string_view rest = text; !rest.empty();) {
        long long count = 0;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), count);
        expect(read.ec == std::errc{} && count >= 0, "a number is missing", text);
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        expect(rest.starts_with(' '), "a blank is missing", text);
        rest.remove_prefix(1);
        const auto end = std::min(rest.find(' '), rest.size());
        smallest = unit_of(rest.substr(0, end));
        told += count * smallest;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    expect(told <= span && span - told < smallest, "the words are of another duration", text);
}

void check(milliseconds span, std::string_view typed) {
    constexpr std::chrono::days k_ten_years{3650};
    expect(span >= milliseconds{} && span <= k_ten_years, "a duration is out of bounds", typed);
    check_words(std::chrono::floor<seconds>(span));
    if (span >= std::chrono::minutes{1}) return;
    auto exact = cli::exact_text(span);
    std::erase(exact, ' ');
    expect(cli::parse_duration(exact) == span, "what is printed is read in another way", exact);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string typed{reinterpret_cast<const char*>(data), size};
    if (const auto span = cli::parse_duration(typed)) check(*span, typed);
    for (const auto* const odd : {"-", "+", " "})
        expect(!cli::parse_duration(odd + typed), "a sign or a blank is no part of it", typed);
    return 0;
}
