// SPDX-License-Identifier: Apache-2.0
#include "redis/bell.hpp"

#include <utility>

#include "base/sha1.hpp"
#include "redis/records.hpp"
#include "support/hexadecimal.hpp"

namespace turnstile::redis {
namespace {

constexpr std::size_t k_digest = 40;

std::optional<answer_along> parse_listing_of(byte_reader& in) {
    const auto stat = parse_record(in.text(k_record_head));
    if (!stat) return std::nullopt;
    answer_along found{core::children_op{}, core::answered(core::server_error::ok)};
    found.reply.stat = *stat;
    found.reply.stat.data_length = in.int32();
    if (found.reply.stat.data_length < 0) return std::nullopt;
    const auto path = in.sized_text();
    if (!path) return std::nullopt;
    std::get<core::children_op>(found.to).path = *path;
    while (in.left() != 0) {
        const auto name = in.sized_text();
        if (!name) return std::nullopt;
        found.reply.children.emplace_back(*name);
    }
    return found;
}

}  // namespace

std::optional<bell> parse_bell(std::string_view text, const std::string& mark) {
    if (text.size() <= k_digest) return std::nullopt;
    const auto body = text.substr(k_digest);
    if (support::hexadecimal_digits(base::sha1(std::string{body} + mark)) !=
        text.substr(0, k_digest))
        return std::nullopt;
    byte_reader in{body};
    bell found;
    const auto zxid = in.whole_double();
    const auto event = in.sized_text();
    if (!zxid || !event) return std::nullopt;
    found.zxid = *zxid;
    auto events = parse_events(*event);
    if (!events || events->size() != 1) return std::nullopt;
    found.event = std::move(events->front());
    if (in.left() != 0) found.listing = parse_listing_of(in);
    return found;
}

}  // namespace turnstile::redis
