// SPDX-License-Identifier: Apache-2.0
#include "redis/records.hpp"

#include <bit>
#include <cstdint>

namespace turnstile::redis {
namespace {

// Reads from the front, little-endian; 0 where too little is left.
class reader {
public:
    explicit reader(std::string_view text) noexcept : text_{text} {}

    [[nodiscard]] std::size_t left() const noexcept { return text_.size(); }
    std::uint64_t number(std::size_t bytes) noexcept {
        std::uint64_t value = 0;
        if (text_.size() < bytes) return value;
        for (std::size_t i = bytes; i-- > 0;)
            value = value << 8U | static_cast<unsigned char>(text_[i]);
        text_.remove_prefix(bytes);
        return value;
    }
    std::int64_t whole_double() noexcept {
        return static_cast<std::int64_t>(std::bit_cast<double>(number(sizeof(double))));
    }
    std::int32_t int32() noexcept { return static_cast<std::int32_t>(number(4)); }
    std::string_view text(std::size_t bytes) noexcept {
        const auto found = text_.substr(0, bytes);
        text_.remove_prefix(found.size());
        return found;
    }

private:
    std::string_view text_;
};

}  // namespace

std::optional<core::stat> parse_record(std::string_view head) noexcept {
    if (head.size() < k_record_head) return std::nullopt;
    reader in{head};
    core::stat s;
    s.czxid = in.whole_double();
    s.mzxid = in.whole_double();
    s.pzxid = in.whole_double();
    s.ctime = in.whole_double();
    s.mtime = in.whole_double();
    s.ephemeral_owner = in.whole_double();
    s.version = in.int32();
    const auto creates = static_cast<std::uint32_t>(in.int32());
    s.num_children = in.int32();
    // As ZooKeeper shows it: for every create there was a remove, but for the children that are there.
    s.cversion =
        static_cast<std::int32_t>(creates * 2U - static_cast<std::uint32_t>(s.num_children));
    return s;
}

std::optional<std::vector<core::watch_event>> parse_events(std::string_view text) {
    constexpr std::size_t k_head = 5;
    std::vector<core::watch_event> all;
    reader in{text};
    while (in.left() != 0) {
        if (in.left() < k_head) return std::nullopt;
        const auto kind = in.number(1);
        const auto length = static_cast<std::size_t>(in.number(4));
        if (kind > static_cast<std::uint64_t>(core::watch_kind::children) || in.left() < length)
            return std::nullopt;
        all.push_back({static_cast<core::watch_kind>(kind), std::string{in.text(length)}, 0});
    }
    return all;
}

}  // namespace turnstile::redis
