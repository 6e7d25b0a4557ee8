// SPDX-License-Identifier: Apache-2.0
#include "guardian/message.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace turnstile::guardian {
namespace {

constexpr std::size_t k_longest_text = 4096;  // for a path or a host

constexpr std::array k_magic{'T', 'S', 'G', '3'};

class writer {
public:
    explicit writer(packet& out) : out_{out} { out_.reserve(k_longest_message); }
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto bytes = std::as_bytes(std::span{&value, 1});
        put_bytes(bytes);
    }
    void put_text(std::string_view text, std::size_t longest = k_longest_text) {
        const auto part = text.substr(0, longest);
        put(static_cast<std::uint16_t>(part.size()));
        put_bytes(std::as_bytes(std::span{part}));
    }
    void put_bytes(std::span<const std::byte> bytes) {
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }

private:
    packet& out_;
};

class message_reader {
public:
    explicit message_reader(std::span<const std::byte> bytes) : rest_{bytes} {}
    template <class T>
    bool get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return get_bytes(std::as_writable_bytes(std::span{&value, 1}));
    }
    bool get_bytes(std::span<std::byte> out) {
        if (rest_.size() < out.size()) return false;
        std::copy_n(rest_.begin(), out.size(), out.begin());
        rest_ = rest_.subspan(out.size());
        return true;
    }
    bool get_text(std::string& out, std::size_t longest = k_longest_text) {
        std::uint16_t length = 0;
        if (!get(length) || length > longest) return false;
        out.resize(length);
        return get_bytes(std::as_writable_bytes(std::span{out}));
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
    std::span<const std::byte> rest_;
};

constexpr std::uint8_t kind_of(const message& value) {
    return static_cast<std::uint8_t>(value.index() + 1);
}

void put_body(writer&, const hello&) {}

void put_body(writer& out, const forget_session& value) {
    out.put(value.id);
}

void put_body(writer& out, const keep_open& value) {
    out.put(value.number);
}

void put_body(writer& out, const let_go& value) {
    out.put(value.number);
}

std::int32_t limited(std::chrono::milliseconds timeout) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(timeout.count(), INT32_MAX));
}

void put_body(writer& out, const guard_module_session& value) {
    out.put(value.number);
    out.put(limited(value.timeout));
    out.put(value.id);
    out.put_text(value.proof, k_longest_proof);
    out.put_text(value.servers, k_longest_connect_string);
}

void put_body(writer& out, const forget_module_session& value) {
    out.put(value.number);
}

void put_body(writer& out, const cannot_end& value) {
    out.put_text(value.scheme, k_longest_scheme);
}

constexpr std::array k_texts{&tls::settings::ca_file,           &tls::settings::cert_file,
                             &tls::settings::key_file,          &tls::settings::crl_file,
                             &tls::settings::key_password_file, &tls::settings::server_name};

void put_security(writer& out, const tls::settings& value) {
    out.put(static_cast<std::uint8_t>(value.enabled ? 1 : 0));
    if (!value.enabled) return;
    out.put(static_cast<std::uint8_t>(value.verify));
    for (const auto text : k_texts) out.put_text(value.*text);
}

constexpr std::array k_sasl_texts{&sasl_options::user, &sasl_options::password,
                                  &sasl_options::password_file, &sasl_options::service,
                                  &sasl_options::server_name};

void put_sasl(writer& out, const sasl_options& value) {
    out.put(static_cast<std::uint8_t>(tls::is_enabled(value) ? 1 : 0));
    if (!tls::is_enabled(value)) return;
    out.put(static_cast<std::uint8_t>(value.mechanism));
    for (const auto text : k_sasl_texts) out.put_text(value.*text);
}

void put_body(writer& out, const guard_session& value) {
    const auto count = std::min(value.servers.size(), k_most_endpoints);
    out.put(value.id);
    out.put(value.secret);
    out.put(limited(value.timeout));
    put_security(out, value.security);
    put_sasl(out, value.sasl);
    out.put(static_cast<std::uint8_t>(count));
    for (const auto& server : std::span{value.servers}.first(count)) {
        out.put(static_cast<std::uint8_t>(server.length));
        out.put_bytes(std::as_bytes(std::span{&server.address, 1}).first(server.length));
        if (value.names_hosts()) out.put_text(server.host);
    }
}

bool is_internet(const endpoint& server) {
    return (server.address.ss_family == AF_INET && server.length == sizeof(sockaddr_in)) ||
           (server.address.ss_family == AF_INET6 && server.length == sizeof(sockaddr_in6));
}

bool get_security(message_reader& in, tls::settings& out) {
    std::uint8_t enabled = 0;
    if (!in.get(enabled) || enabled > 1) return false;
    out.enabled = enabled == 1;
    if (!out.enabled) return true;
    std::uint8_t verify = 0;
    if (!in.get(verify) || verify > static_cast<std::uint8_t>(tls::verification::none))
        return false;
    out.verify = static_cast<tls::verification>(verify);
    return std::all_of(k_texts.begin(), k_texts.end(),
                       [&](auto text) { return in.get_text(out.*text); });
}

bool get_sasl(message_reader& in, sasl_options& out) {
    std::uint8_t enabled = 0;
    if (!in.get(enabled) || enabled > 1) return false;
    if (enabled == 0) return true;
    std::uint8_t mechanism = 0;
    if (!in.get(mechanism) || mechanism > static_cast<std::uint8_t>(sasl_mechanism::gssapi))
        return false;
    out.mechanism = static_cast<sasl_mechanism>(mechanism);
    const bool whole = std::all_of(k_sasl_texts.begin(), k_sasl_texts.end(),
                                   [&](auto text) { return in.get_text(out.*text); });
    return whole && tls::is_enabled(out);
}

bool get_endpoint(message_reader& in, endpoint& out) {
    std::uint8_t length = 0;
    if (!in.get(length) || length > sizeof out.address) return false;
    out.length = length;
    return in.get_bytes(std::as_writable_bytes(std::span{&out.address, 1}).first(length)) &&
           is_internet(out);
}

bool get_body(message_reader& in, guard_session& out) {
    std::int32_t timeout = 0;
    std::uint8_t count = 0;
    if (!in.get(out.id) || !in.get(out.secret) || !in.get(timeout)) return false;
    if (!get_security(in, out.security) || !get_sasl(in, out.sasl) || !in.get(count)) return false;
    if (out.id == 0 || timeout <= 0 || count == 0 || count > k_most_endpoints) return false;
    out.timeout = std::chrono::milliseconds{timeout};
    out.servers.resize(count);
    return std::all_of(out.servers.begin(), out.servers.end(), [&](endpoint& server) {
        return get_endpoint(in, server) && (!out.names_hosts() || in.get_text(server.host));
    });
}

bool get_body(message_reader&, hello&) {
    return true;
}

bool get_body(message_reader& in, forget_session& out) {
    return in.get(out.id) && out.id != 0;
}

bool get_body(message_reader& in, keep_open& out) {
    return in.get(out.number);
}

bool get_body(message_reader& in, let_go& out) {
    return in.get(out.number);
}

bool get_body(message_reader& in, guard_module_session& out) {
    std::int32_t timeout = 0;
    if (!in.get(out.number) || !in.get(timeout) || !in.get(out.id) || timeout <= 0 || out.id == 0)
        return false;
    out.timeout = std::chrono::milliseconds{timeout};
    return in.get_text(out.proof, k_longest_proof) &&
           in.get_text(out.servers, k_longest_connect_string) && fits(out);
}

bool get_body(message_reader& in, forget_module_session& out) {
    return in.get(out.number);
}

bool get_body(message_reader& in, cannot_end& out) {
    return in.get_text(out.scheme, k_longest_scheme);
}

// The numbers of the message kinds start at 1, in the order of the variant's types.
template <std::size_t Kind = 1>
std::optional<message> read_body(std::uint8_t kind, message_reader& in) {
    if constexpr (Kind <= std::variant_size_v<message>) {
        if (kind != Kind) return read_body<Kind + 1>(kind, in);
        std::variant_alternative_t<Kind - 1, message> out;
        if (get_body(in, out) && in.at_end()) return out;
    }
    return std::nullopt;
}

}  // namespace

std::string scheme_of(std::string_view servers) {
    const auto colon = std::min(servers.find(':'), k_longest_scheme);
    const auto whole = servers.substr(0, servers.find_first_not_of('/', colon + 1));
    return std::string{whole.substr(0, k_longest_scheme)};
}

packet encode(const message& value) {
    packet result;
    writer out{result};
    out.put(k_magic);
    out.put(kind_of(value));
    std::visit([&out](const auto& body) { put_body(out, body); }, value);
    return result;
}

std::optional<message> decode(std::span<const std::byte> bytes) {
    message_reader in{bytes};
    auto magic = k_magic;
    std::uint8_t kind = 0;
    if (bytes.size() > k_longest_message || !in.get(magic) || magic != k_magic || !in.get(kind))
        return std::nullopt;
    return read_body(kind, in);
}

}  // namespace turnstile::guardian
