// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/succession.hpp"

#include <utility>

#include "recipe/node/node_data.hpp"

namespace turnstile::detail {

namespace {

constexpr std::string_view k_successor = "turnstile-successor";
constexpr std::string_view k_steps = "steps";
constexpr std::string_view k_until = "until";

}  // namespace

std::string succession_hint::to_string() const {
    text_fields fields;
    fields.add(k_successor, successor);
    fields.add(k_steps, steps);
    fields.add(k_until, until);
    return fields.text();
}

std::optional<succession_hint> succession_hint::parse(std::string_view text) {
    const auto fields = text_fields::parse(text);
    const auto name = fields.find(k_successor);
    const auto steps = fields.number(k_steps);
    const auto until = fields.number(k_until);
    if (!name || name->empty() || !steps || !until || *steps < 0 || *steps > UINT32_MAX)
        return std::nullopt;
    return succession_hint{std::string{*name}, static_cast<std::uint32_t>(*steps), *until};
}

succession_step next_step(std::string_view text, std::string_view own_id, std::int64_t now) {
    auto hint = succession_hint::parse(text);
    if (!hint) return {};
    const bool over = hint->steps == 0 || now > hint->until;
    if (over || hint->successor == own_id) return {true, std::string{}};  // place: hint_is_done
    --hint->steps;  // place: counts_steps_aside
    return {false, hint->to_string()};
}

}  // namespace turnstile::detail
