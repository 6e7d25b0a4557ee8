// SPDX-License-Identifier: Apache-2.0
#include "core/queue/znode_texts.hpp"

#include <cassert>
#include <charconv>

#include "base/check.hpp"
#include "base/percent.hpp"

namespace turnstile::core {

namespace {

std::string_view word(contender_family of) {
    return of == contender_family::latch ? "latch-floor " : "lock-floor ";
}

}  // namespace

std::string low_water_text(contender_family of, std::int32_t number) {
    return std::string{word(of)} + std::to_string(number);
}

std::optional<std::int32_t> parse_low_water_mark(contender_family of, std::string_view text) {
    if (!text.starts_with(word(of))) return std::nullopt;
    const auto digits = text.substr(word(of).size());
    std::int32_t number = 0;
    const auto failure = std::from_chars(digits.data(), digits.data() + digits.size(), number).ec;
    if (failure != std::errc{} || text != low_water_text(of, number)) return std::nullopt;
    return number;
}

bool leaves_nobody_ahead(std::int32_t mark, std::int32_t nearest, std::int32_t self) {
    TURNSTILE_CHECK(nearest != self);
    // place: low_water_mark_reaches
    return sequence_distance(mark, nearest) >= 0 && sequence_distance(mark, self) < 0;
}

namespace {

constexpr std::string_view k_suffix = "-holder";
constexpr std::string_view k_noted = " left";
constexpr std::int64_t k_longest_delay_ms = std::int64_t{10} * 366 * 24 * 3600 * 1000;  // ten years

}  // namespace

std::string crash_mark_path(std::string_view folder) {
    return std::string{folder} + std::string{k_suffix};
}

std::string crash_mark_text(const crash_mark& mark) {
    assert(mark.holder.find(' ') == std::string::npos);
    TURNSTILE_CHECK(mark.delay_ms >= 0);
    TURNSTILE_CHECK(mark.delay_ms <= k_longest_delay_ms);
    auto text = mark.holder + ' ' + std::to_string(mark.delay_ms);
    if (mark.noted) text += k_noted;
    return text;
}

std::optional<crash_mark> parse_crash_mark(std::string_view text) {
    crash_mark found;
    found.noted = text.ends_with(k_noted);
    if (found.noted) text.remove_suffix(k_noted.size());
    const auto space = text.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    found.holder = text.substr(0, space);
    const auto number = text.substr(space + 1);
    const auto* const end = number.data() + number.size();
    const auto [at, wrong] = std::from_chars(number.data(), end, found.delay_ms);
    if (wrong != std::errc{} || at != end) return std::nullopt;
    if (found.delay_ms < 0 || found.delay_ms > k_longest_delay_ms) return std::nullopt;
    return found;
}

namespace {

constexpr std::string_view k_ask = " revoke=ask by=";
constexpr std::string_view k_take = " revoke=take by=";
constexpr std::string_view k_why = " why=";

std::string mark_of(const revocation_text& order) {
    std::string mark{order.manner == revocation_text::how::take ? k_take : k_ask};
    base::append_percent_escaped(mark, order.by);
    mark += k_why;
    base::append_percent_escaped(mark, order.why);
    return mark;
}

// Decodes text that any client with write permission may have written. The text goes to callbacks, messages and logs.
std::string words_in(std::string_view escaped) {
    auto words = base::percent_unescaped(escaped);
    return words.size() > k_longest_words ? std::string{} : words;
}

}  // namespace

bool follows_curators_request(std::string_view data) {
    constexpr std::string_view k_of_an_address = "0123456789abcdefABCDEF.:";
    const auto address = data.substr(0, data.find('%'));  // a scope id may follow the address
    return address.find_first_not_of(k_of_an_address) == std::string_view::npos &&
           (data.empty() || address.find_first_of(".:") != std::string_view::npos);
}

std::optional<revocation_text> parse_revocation(std::string_view data) {
    if (data == k_curators_request || data == "unlock")
        return revocation_text{revocation_text::how::ask, {}, {}};
    const auto ask = data.rfind(k_ask);
    const auto take = data.rfind(k_take);
    const bool orders =
        take != std::string_view::npos && (ask == std::string_view::npos || take > ask);
    const auto at = orders ? take : ask;
    if (at == std::string_view::npos) return std::nullopt;
    const auto words = data.substr(at + (orders ? k_take : k_ask).size());
    const auto why = words.find(k_why);
    if (why == std::string_view::npos) return std::nullopt;
    const auto text = words.substr(why + k_why.size());
    return revocation_text{orders ? revocation_text::how::take : revocation_text::how::ask,
                           words_in(words.substr(0, why)),
                           words_in(text.substr(0, text.find(' ')))};
}

std::string with_order(std::string_view data, const revocation_text& order) {
    auto text = std::string{data} + mark_of(order);
    assert(parse_revocation(text) == order);
    return text;
}

std::string_view without_orders(std::string_view data, const revocation_text& order) {
    const auto ask = mark_of({revocation_text::how::ask, order.by, order.why});
    const auto take = mark_of({revocation_text::how::take, order.by, order.why});
    for (;;) {
        if (data.ends_with(ask)) {
            data.remove_suffix(ask.size());
        } else if (data.ends_with(take)) {
            data.remove_suffix(take.size());
        } else {
            return data;
        }
    }
}

}  // namespace turnstile::core
