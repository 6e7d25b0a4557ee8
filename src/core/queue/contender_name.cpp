// SPDX-License-Identifier: Apache-2.0
#include "core/queue/contender_name.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"

namespace turnstile::core {

namespace {

constexpr std::string_view k_protection = "_c_";
constexpr std::string_view k_lock = "lock-";
constexpr std::string_view k_latch = "latch-";
constexpr std::string_view k_read = "__READ__";
constexpr std::string_view k_write = "__WRIT__";
constexpr std::string_view k_upgrade = "__UPGR__";
constexpr std::string_view k_lease = "lease";
constexpr std::size_t k_guid = 36;
constexpr std::size_t k_width = 10;  // characters of "%010d", the sign included
constexpr std::int32_t k_lowest_of_width = -999'999'999;

std::optional<std::int32_t> whole_number(std::string_view text) noexcept {
    std::int32_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// Returns the number in the last `width` characters, if servers would write that number with exactly `width`
// characters.
std::optional<std::int32_t> sequence_of_width(std::string_view text, std::size_t width) noexcept {
    if (text.size() < width) return std::nullopt;
    const auto number = text.substr(text.size() - width);
    const auto value = whole_number(number);
    if (!value || width != (*value < k_lowest_of_width ? k_width + 1 : k_width))
        return std::nullopt;
    if (*value == 0 && number.front() == '-') return std::nullopt;
    return value;
}

bool take_suffix(std::string_view& text, std::string_view suffix) noexcept {
    if (!text.ends_with(suffix)) return false;
    text.remove_suffix(suffix.size());
    return true;
}

// Reads "lease-" or "lease<k>-"; k is at least 2 and has no leading zeros.
std::optional<claim> take_permits(std::string_view head) noexcept {
    if (!take_suffix(head, "-")) return std::nullopt;
    const auto digits = head.substr(head.find_last_not_of("0123456789") + 1);
    head.remove_suffix(digits.size());
    if (!head.ends_with(k_lease)) return std::nullopt;
    if (digits.empty()) return claim{claim_kind::permit};
    const auto permits = whole_number(digits);
    if (!permits || *permits < 2 || digits.front() == '0') return std::nullopt;
    return claim{claim_kind::permit, *permits};
}

// Reads "__UPGR__<n>-": the writer is the upgrade of the upgradable reader n.
std::optional<claim> take_upgrade(std::string_view head) noexcept {
    if (!take_suffix(head, "-")) return std::nullopt;
    for (const auto width : {k_width, k_width + 1}) {
        const auto of = sequence_of_width(head, width);
        if (of && head.substr(0, head.size() - width).ends_with(k_upgrade))
            return claim{claim_kind::upgrade, 1, *of};
    }
    return std::nullopt;
}

std::optional<claim> what_is_wanted(std::string_view head) noexcept {
    if (head.ends_with(k_lock)) return claim{claim_kind::lock};
    if (head.ends_with(k_latch)) return claim{claim_kind::latch};
    if (take_suffix(head, k_read)) {
        const bool upgradable = take_suffix(head, "-") && head.ends_with(k_upgrade);
        return claim{upgradable ? claim_kind::upgradable : claim_kind::read};
    }
    if (take_suffix(head, k_write)) return take_upgrade(head).value_or(claim{claim_kind::write});
    return take_permits(head);
}

// Appends the number as "%010d" does, but without a format string, since each grant makes several names.
std::string& append_sequence(std::string& to, std::int32_t sequence) {
    if (sequence < 0) return to += fmt::format("{:010}", sequence);
    const fmt::format_int digits{sequence};
    return to.append(k_width - digits.size(), '0').append(digits.data(), digits.size());
}

std::string marker(const claim& wants) {
    switch (wants.kind) {
        case claim_kind::lock: return std::string{k_lock};
        case claim_kind::latch: return std::string{k_latch};
        case claim_kind::read: return std::string{k_read};
        case claim_kind::write: return std::string{k_write};
        case claim_kind::upgradable: return fmt::format("{}-{}", k_upgrade, k_read);
        case claim_kind::upgrade:
            return fmt::format("{}{:010}-{}", k_upgrade, wants.upgrades, k_write);
        case claim_kind::permit: break;
    }
    if (wants.permits == 1) return fmt::format("{}-", k_lease);
    return fmt::format("{}{}-", k_lease, wants.permits);
}

}  // namespace

// Tries both widths of the number, and takes the width that leaves the beginning of a contender's name. So
// "lock-1234567890" is "lock-" and a positive number: with the minus sign in the number, only "lock" would be left.
std::optional<contender_name> parse_contender(std::string_view child) noexcept {
    for (const auto width : {k_width, k_width + 1}) {
        const auto sequence = sequence_of_width(child, width);
        if (!sequence) continue;
        if (const auto wants = what_is_wanted(child.substr(0, child.size() - width)))
            return contender_name{*wants, *sequence};
    }
    return std::nullopt;  // place: no_contender
}

std::optional<std::int32_t> contender_sequence(std::string_view child) noexcept {
    const auto name = parse_contender(child);
    if (!name) return std::nullopt;
    return name->sequence;
}

std::optional<std::int32_t> contender_sequence(std::string_view child,
                                               contender_family of) noexcept {
    const auto name = parse_contender(child);
    if (!name || family(name->wants.kind) != of) return std::nullopt;
    return name->sequence;
}

std::string contender_prefix(std::string_view guid, const claim& wants) {
    TURNSTILE_CHECK(wants.permits >= 1);
    TURNSTILE_CHECK(wants.permits == 1 || wants.kind == claim_kind::permit);
    const auto marked_kind = marker(wants);
    std::string name;
    name.reserve(k_protection.size() + guid.size() + 1 + marked_kind.size() + k_width);
    name.append(k_protection).append(guid).append(1, '-').append(marked_kind);
    return name;
}

std::string contender_child(std::string_view guid, const claim& wants, std::int32_t sequence) {
    auto name = contender_prefix(guid, wants);
    append_sequence(name, sequence);
    return name;
}

std::size_t contender_size(const claim& wants) {
    return k_protection.size() + k_guid + 1 + marker(wants).size() + k_width;
}

std::string renamed_contender(std::string_view child, claim_kind kind) {
    const auto sequence = contender_sequence(child);
    TURNSTILE_CHECK(sequence);
    return contender_child(contender_guid(child), {kind}, sequence.value_or(0));
}

std::string upgrade_in_other_place(std::string_view child) {
    const auto name = parse_contender(child).value_or(contender_name{});
    TURNSTILE_CHECK(name.wants.kind == claim_kind::upgrade);
    const claim wants{claim_kind::upgrade, 1, name.sequence};
    return contender_child(contender_guid(child), wants, name.wants.upgrades);
}

std::string_view contender_guid(std::string_view child) noexcept {
    if (!child.starts_with(k_protection) || !parse_contender(child)) return {};
    const auto guid = child.substr(k_protection.size(), k_guid);
    return child.substr(k_protection.size() + guid.size()).starts_with('-') ? guid
                                                                            : std::string_view{};
}

bool made_by(std::string_view child, std::string_view guid) noexcept {
    // place: made_by_guid
    return child.starts_with(k_protection) && child.substr(k_protection.size()).starts_with(guid);
}

}  // namespace turnstile::core
