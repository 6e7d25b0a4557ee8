// SPDX-License-Identifier: Apache-2.0
#include "core/queue/revocation_text.hpp"

#include <cassert>

#include "base/percent.hpp"

namespace turnstile::core {

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
