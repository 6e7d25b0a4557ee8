// SPDX-License-Identifier: Apache-2.0
// Fuzzes connect strings of all kinds. If the parser accepts a string, it must read the string's printed form as the
// same string. A secret in the string never appears in the masked form, in the printed form, or in the message of a
// refusal.
//
// The first byte chooses between the raw text, and a string composed of parts with a secret in one of them.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/masked.hpp"
#include "base/percent.hpp"
#include "fuzz_input.hpp"
#include "local/coordinator.hpp"
#include "redis/connect_string.hpp"
#include "sql/connect_string.hpp"
#include "zookeeper/connect_string.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;

// Only the secret of a string contains this text.
constexpr std::string_view k_secret = "QzXq";

// All texts about a connect string that people may see.
struct shown_texts {
    std::string printed;  // empty if the parser refused the string
    std::string refusal;
};

template <class String>
shown_texts check_printed(const result<String>& read, auto parse, auto same) {
    if (!read) {
        const auto message = read.error().message();
        expect(fuzz::is_printable_ascii(message), "a refusal has an odd byte", message);
        return {{}, message};
    }
    const auto printed = to_string(*read);
    const auto again = parse(printed);
    expect(again && same(*read, *again), "what is printed is read in another way", printed);
    expect(to_string(*again) == printed, "what is printed is printed in another way", printed);
    return {printed, {}};
}

bool is_same(const redis::redis_address& a, redis::redis_address b) {
    b.login = a.login;
    b.sentinel_login = a.sentinel_login;
    const auto enabled = b.tls.enabled;
    b.tls = a.tls;
    return a == b && enabled == a.tls.enabled;
}

// Returns true if two strings lead to the same place. The printed form of a server's string has no user, no password
// and no parameters, so these are not compared.
bool is_same(const sql::database_address& a, const sql::database_address& b) {
    return a.kind == b.kind && a.chroot == b.chroot &&
           (a.kind != sql::kind::sqlite || a.target == b.target);
}

bool is_of_database(std::string_view text) {
    constexpr std::array<std::string_view, 5> k_schemes{"sqlite:", "postgresql://", "postgres://",
                                                        "mysql://", "mariadb://"};
    return std::any_of(k_schemes.begin(), k_schemes.end(),
                       [&](std::string_view scheme) { return text.starts_with(scheme); });
}

// The library refuses a connect string with a NUL before it calls the parser for a kind of server. So this function
// skips such strings.
shown_texts check(const std::string& text) {
    if (text.find('\0') != std::string::npos) return {};
    const auto equal = [](const auto& a, const auto& b) { return a == b; };
    const auto alike = [](const auto& a, const auto& b) { return is_same(a, b); };
    if (text.starts_with("local:"))
        return check_printed(local::parse_connect_string(text), local::parse_connect_string, equal);
    if (text.starts_with("redis"))
        return check_printed(redis::parse_connect_string(text), redis::parse_connect_string, alike);
    if (is_of_database(text))
        return check_printed(sql::parse_connect_string(text), sql::parse_connect_string, alike);
    return check_printed(zookeeper::parse_connect_string(text), zookeeper::parse_connect_string,
                         equal);
}

std::string without(std::string text, std::string_view unwanted) {
    for (auto at = text.find(unwanted); at != std::string::npos; at = text.find(unwanted))
        text.erase(at, unwanted.size());
    return text;
}

// Returns the text as a careful user writes it: every character other than letters and digits is escaped.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (plain)
            out += c;
        else
            base::append_percent_encoded(out, static_cast<unsigned char>(c));
    }
    return out;
}

// Returns the text as a careless user writes it, without escapes. Removes the characters at which a password may end
// (base/masked.hpp): '?' and '&', and '/' outside of URLs.
std::string careless(std::string text, bool is_url) {
    std::erase_if(
        text, [&](char c) { return c == '\n' || c == '?' || c == '&' || (!is_url && c == '/'); });
    return text;
}

struct form {
    std::string_view before;  // text before the user
    std::string_view between;
    std::string_view behind;  // text after the secret
};
constexpr std::array<form, 12> k_forms{
    {{"redis://", ":", "@"},
     {"rediss://", ":", "@"},
     {"redis+sentinel://", ":", "@"},
     {"postgresql://", ":", "@"},
     {"mysql://", ":", "@"},
     {"zk", ":", "@"},
     {"redis://", ":", ""},
     {"postgresql://", ":", ""},
     {"redis+sentinel://s/main?sentinel_username=", "&sentinel_password=", "&tree="},
     {"postgresql://h/db?user=", "&password=", "&connect_timeout="},
     {"mysql://h/db?ssl_ca=", "&ssl_key_password=", "&ssl_cert="},
     {"redis:", ":", "@"}}};

void check_secret(std::uint8_t chosen, std::string_view input) {
    const auto parts = fuzz::lines_of(input, 3);
    const auto& as = k_forms[chosen % k_forms.size()];
    const bool has_host = as.behind == "@";
    const bool is_careless = has_host && chosen >= 128;
    const auto tail = is_careless ? careless(parts[1], as.before != "zk") : escaped(parts[1]);
    const auto secret = std::string{k_secret} + without(tail, k_secret);
    const auto text =
        without(std::string{as.before} + escaped(parts[0]) + std::string{as.between}, k_secret) +
        secret + std::string{as.behind} + without(parts[2], k_secret);
    const auto hides = [&](std::string_view shown) {
        return shown.find(k_secret) == std::string_view::npos;
    };
    expect(hides(base::masked(text)), "the masked string shows the secret", text);
    expect(base::has_password(text), "a string with a secret has none", text);
    const auto shown = check(text);
    expect(hides(shown.printed), "the printed string shows the secret", text);
    expect(hides(shown.refusal), "the refusal shows the secret", text + "\n" + shown.refusal);
    if (!has_host) return;
    // No character of this text is escaped, so the parser may misread the text. Still the refusal must hide the secret.
    const auto wild = std::string{as.before} + std::string{as.between} + std::string{k_secret} +
                      without(parts[1], k_secret) + '@' + without(parts[2], k_secret);
    const auto refusal = check(wild).refusal;
    expect(hides(refusal), "the refusal shows a piece of the secret", wild + "\n" + refusal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::byte_source in{data, size};
    const auto chosen = in.byte();
    const auto rest = in.rest();
    if (chosen % 16 < k_forms.size()) check_secret(chosen, rest);
    static_cast<void>(check(std::string{rest}));
    return 0;
}
