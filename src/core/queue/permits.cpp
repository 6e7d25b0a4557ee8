// SPDX-License-Identifier: Apache-2.0
#include "core/queue/permits.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/check.hpp"
#include "core/queue/contender_name.hpp"

namespace turnstile::core {

namespace {

constexpr std::string_view k_was = " was ";
constexpr std::string_view k_up_to = " up to ";
constexpr std::size_t k_most_quoted = 100;  // limit for a quotation of another client's text

std::optional<std::int32_t> number(std::string_view text) noexcept {
    std::int32_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int32_t> positive(std::string_view text) noexcept {
    const auto value = number(text);
    return value && *value >= 1 ? value : std::nullopt;
}

// The text before the first `word`, and the text after that `word`; `second` is empty if `word` does not occur.
struct halves {
    std::string_view first;
    std::optional<std::string_view> second;
};
halves split(std::string_view text, std::string_view word) noexcept {
    const auto at = text.find(word);
    if (at == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, at), text.substr(at + word.size())};
}

struct counted_claim {
    std::int32_t number = 0;
    std::int32_t permits = 0;
};

// Returns the contenders for permits in the order of their numbers; nothing if the numbers do not determine the order.
std::optional<std::vector<counted_claim>> in_order(const std::vector<std::string>& children) {
    std::vector<counted_claim> all;
    for (const auto& child : children) {
        const auto name = parse_contender(child);
        if (!name || name->wants.kind != claim_kind::permit) continue;
        if (at_counter_end(name->sequence)) return std::nullopt;
        all.push_back({name->sequence, name->wants.permits});
    }
    const auto first = all.empty() ? 0 : all.front().number;
    const auto distance = [first](const counted_claim& entry) {
        return sequence_distance(entry.number, first);
    };
    std::sort(all.begin(), all.end(), [&](const counted_claim& a, const counted_claim& b) {
        return distance(a) < distance(b);
    });
    return all;
}

}  // namespace

std::optional<permit_limit> parse_limit(std::string_view text) noexcept {
    const auto [now_text, rest] = split(text, k_was);
    const auto now = positive(now_text);
    if (!now) return std::nullopt;
    if (!rest) return permit_limit{*now, *now};
    const auto [earlier_text, last_text] = split(*rest, k_up_to);
    const auto earlier = positive(earlier_text);
    const auto last = last_text ? number(*last_text) : std::nullopt;
    if (!earlier || last_text.has_value() != last.has_value()) return std::nullopt;
    if (*earlier <= *now) return permit_limit{*now, *now};
    return permit_limit{*now, *earlier, last};
}

std::string limit_text(const permit_limit& limit) {
    TURNSTILE_CHECK(limit.now >= 1);
    auto text = std::to_string(limit.now);
    if (limit.earlier <= limit.now) return text;
    text += std::string{k_was} + std::to_string(limit.earlier);
    if (limit.last) text += std::string{k_up_to} + std::to_string(*limit.last);
    return text;
}

error no_semaphore(const std::string& folder, const std::string& data) {
    return {errc::bad_path, folder +
                                " is no semaphore: its data is not a number of permits but \"" +
                                data.substr(0, k_most_quoted) + '"'};
}

// A contender may hold permits above the lowered limit if its position was within the earlier limit when the limit was
// lowered. If contenders ahead have left since then, that contender has only moved forward. So the last contender that
// may hold permits above the lowered limit is, at the latest, the last contender whose position is within the earlier
// limit now.
permit_limit settled_limit(const permit_limit& open, const permit_limit& before,
                           const std::vector<std::string>& children) {
    TURNSTILE_CHECK(open.now >= 1);
    TURNSTILE_CHECK(before.earlier >= before.now);
    const auto all = in_order(children);
    if (!all) return open;
    permit_limit found{open.now, open.now};
    std::int64_t taken = 0;
    for (const auto& entry : *all) {
        taken += entry.permits;
        const bool from_earlier =
            taken <= before.earlier &&
            (!before.last || sequence_distance(entry.number, *before.last) <= 0);
        if (taken <= open.now || (taken > before.now && !from_earlier)) continue;
        found.earlier = open.earlier;
        found.last = entry.number;
    }
    return found;
}

}  // namespace turnstile::core
