// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/packets.hpp"

#include <algorithm>

namespace turnstile::zookeeper {
namespace {

constexpr std::int32_t k_create = 15;  // create2, whose answer contains the znode's Stat (3.5)
constexpr std::int32_t k_remove = 2;
constexpr std::int32_t k_auth = 100;
constexpr std::int32_t k_sasl = 102;
constexpr std::int32_t k_get_ephemerals = 103;
constexpr std::int32_t k_ephemeral = 1;
constexpr std::int32_t k_read_permission = 1;
constexpr std::int32_t k_any_version = -1;

class packet_writer {
public:
    packet_writer& int32(std::int32_t value) {
        return number(static_cast<std::uint32_t>(value), sizeof value);
    }
    packet_writer& int64(std::int64_t value) {
        return number(static_cast<std::uint64_t>(value), sizeof value);
    }
    packet_writer& boolean(bool value) { return number(value ? 1 : 0, 1); }
    // Writes a length and the bytes: a string or a buffer.
    packet_writer& text(std::string_view value) {
        int32(static_cast<std::int32_t>(value.size()));
        bytes_ += value;
        return *this;
    }
    packet_writer& raw(std::string_view value) {
        bytes_ += value;
        return *this;
    }
    [[nodiscard]] std::string finish() const {
        packet_writer whole;
        whole.text(bytes_);
        return whole.bytes_;
    }

private:
    packet_writer& number(std::uint64_t value, std::size_t size) {
        for (std::size_t i = size; i-- > 0;)
            bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
        return *this;
    }

    std::string bytes_;
};

// Reads the fields of a packet. After the end of the packet, every read fails.
class packet_reader {
public:
    explicit packet_reader(std::string_view bytes) : rest_{bytes} {}

    [[nodiscard]] bool int32(std::int32_t& out) {
        std::uint64_t value = 0;
        if (!number(value, sizeof out)) return false;
        out = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
        return true;
    }
    [[nodiscard]] bool int64(std::int64_t& out) {
        std::uint64_t value = 0;
        if (!number(value, sizeof out)) return false;
        out = static_cast<std::int64_t>(value);
        return true;
    }
    [[nodiscard]] bool text(std::string_view& out) {
        std::int32_t length = 0;
        if (!int32(length) || length < 0 || rest_.size() < static_cast<std::size_t>(length))
            return false;
        out = rest_.substr(0, static_cast<std::size_t>(length));
        rest_.remove_prefix(out.size());
        return true;
    }
    // After the end of the packet, returns false.
    [[nodiscard]] bool boolean() {
        std::uint64_t value = 0;
        return number(value, 1) && value != 0;
    }

private:
    [[nodiscard]] bool number(std::uint64_t& out, std::size_t size) {
        if (rest_.size() < size) return false;
        for (const char c : rest_.substr(0, size)) out = out << 8U | static_cast<unsigned char>(c);
        rest_.remove_prefix(size);
        return true;
    }

    std::string_view rest_;
};

}  // namespace

std::string framed(std::string_view frame) {
    return packet_writer{}.raw(frame).finish();
}

std::string attach_packet(const attach_request& value) {
    constexpr std::int32_t k_version = 0;
    constexpr std::int64_t k_nothing_seen = 0;  // no transaction
    return packet_writer{}
        .int32(k_version)
        .int64(k_nothing_seen)
        .int32(value.timeout_ms)
        .int64(value.session)
        .text({value.password.data(), value.password.size()})
        .boolean(value.allow_read_only)
        .finish();
}

std::string auth_packet(std::string_view credentials) {
    constexpr std::int32_t k_type = 0;
    return packet_writer{}
        .int32(k_auth_request)
        .int32(k_auth)
        .int32(k_type)
        .text("digest")
        .text(credentials)
        .finish();
}

std::string sasl_packet(std::int32_t request, std::string_view token) {
    return packet_writer{}.int32(request).int32(k_sasl).text(token).finish();
}

std::string list_packet(std::int32_t request) {
    return packet_writer{}.int32(request).int32(k_get_ephemerals).text("/").finish();
}

std::string create_ephemeral_packet(std::int32_t request, std::string_view path) {
    constexpr std::int32_t k_one_right = 1;
    return packet_writer{}
        .int32(request)
        .int32(k_create)
        .text(path)
        .text({})
        .int32(k_one_right)
        .int32(k_read_permission)
        .text("world")
        .text("anyone")
        .int32(k_ephemeral)
        .finish();
}

std::string remove_packet(std::int32_t request, std::string_view path) {
    return packet_writer{}.int32(request).int32(k_remove).text(path).int32(k_any_version).finish();
}

std::optional<std::size_t> parse_length(std::string_view four_bytes) {
    std::int32_t length = 0;
    if (!packet_reader{four_bytes}.int32(length) || length < 0) return std::nullopt;
    return static_cast<std::size_t>(length);
}

std::optional<attach_answer> parse_attach(std::string_view frame) {
    packet_reader in{frame};
    attach_answer out;
    std::int32_t version = 0;
    std::string_view password;
    if (!in.int32(version) || !in.int32(out.timeout_ms) || !in.int64(out.session) ||
        !in.text(password) || password.size() != out.password.size())
        return std::nullopt;
    std::copy(password.begin(), password.end(), out.password.begin());
    out.read_only = in.boolean();
    return out;
}

std::optional<reply_head> parse_reply(std::string_view frame) {
    packet_reader in{frame};
    reply_head out;
    std::int64_t transaction = 0;
    if (!in.int32(out.request) || !in.int64(transaction) || !in.int32(out.error))
        return std::nullopt;
    return out;
}

std::optional<std::int64_t> parse_creation_ms(std::string_view frame) {
    if (frame.size() < k_reply_head_bytes) return std::nullopt;
    packet_reader in{frame.substr(k_reply_head_bytes)};
    std::string_view path;
    std::int64_t transaction = 0;
    std::int64_t created = 0;
    const bool whole =
        in.text(path) && in.int64(transaction) && in.int64(transaction) && in.int64(created);
    return whole ? std::optional{created} : std::nullopt;
}

std::optional<std::string> parse_sasl_token(std::string_view frame) {
    if (frame.size() < k_reply_head_bytes) return std::nullopt;
    const auto rest = frame.substr(k_reply_head_bytes);
    packet_reader length_of{rest};
    packet_reader in{rest};
    std::int32_t length = 0;
    std::string_view token;
    if (length_of.int32(length) && length < 0) return std::string{};  // a null buffer: no token
    return in.text(token) ? std::optional{std::string{token}} : std::nullopt;
}

std::optional<path_list> parse_paths(std::string_view frame) {
    if (frame.size() < k_reply_head_bytes) return std::nullopt;
    packet_reader in{frame.substr(k_reply_head_bytes)};
    std::int32_t count = 0;
    if (!in.int32(count)) return std::nullopt;
    path_list out;
    // A null vector has the length -1.
    out.count = static_cast<std::size_t>(std::max(count, 0));
    std::string_view path;
    while (out.paths.size() < out.count && in.text(path)) out.paths.emplace_back(path);
    return out;
}

std::size_t attach_length(std::string_view begun) noexcept {
    if (begun.size() < k_length_bytes) return k_length_bytes;
    const auto length = parse_length(begun.substr(0, k_length_bytes));
    return length && *length <= k_longest_attach - k_length_bytes ? k_length_bytes + *length
                                                                  : k_longest_attach + 1;
}

}  // namespace turnstile::zookeeper
