// SPDX-License-Identifier: Apache-2.0
#include "sql/postgresql_uri.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

#include "base/masked.hpp"
#include "sql/postgresql_options.hpp"

namespace turnstile::sql {
namespace {

constexpr std::string_view k_of_names =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

struct text_end {
    void operator()(char* text) const noexcept { ::PQfreemem(text); }
};

// Returns the URI's first parameter whose name libpq's message quotes; empty if there is none.
std::string_view parameter_in(std::string_view uri, std::string_view quoted) {
    for (auto at = uri.find('?'); at != std::string_view::npos; at = uri.find('&', at + 1)) {
        const auto end = uri.find_first_of("=&", at + 1);
        if (end == std::string_view::npos || uri[end] != '=') continue;
        const auto name = uri.substr(at + 1, end - at - 1);
        if (!name.empty() && name.find_first_not_of(k_of_names) == std::string_view::npos &&
            quoted.find('"' + std::string{name} + '"') != std::string_view::npos)
            return name;
    }
    return {};
}

bool is_port(std::string_view digits) {
    std::uint16_t port = 0;
    const auto* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, port);
    return read.ec == std::errc{} && read.ptr == end && port != 0;
}

// True if a port is invalid. libpq checks ports only when it connects. In a URI without a host, "user:password" makes
// the password the port.
bool has_bad_port(const PQconninfoOption* each) {
    for (; each->keyword != nullptr; ++each) {
        if (std::string_view{each->keyword} != "port" || each->val == nullptr) continue;
        std::string_view ports = each->val;
        while (!ports.empty()) {
            const auto end = std::min(ports.find(','), ports.size());
            if (end != 0 && !is_port(ports.substr(0, end))) return true;
            ports.remove_prefix(std::min(end + 1, ports.size()));
        }
    }
    return false;
}

}  // namespace

// Returns only the start of libpq's message, up to the first colon and space: the rest quotes a piece of the URI.
std::string fault_of_postgresql(const std::string& uri) {
    char* raw = nullptr;
    const auto all = parse_postgresql(uri, &raw);
    const std::unique_ptr<char, text_end> said{raw};
    if (all)
        return has_bad_port(all.get()) ? "has a bad port: a number from 1 to 65535 is needed" : "";
    if (!said) throw std::bad_alloc{};
    const std::string_view sentence = said.get();
    const auto end = sentence.find(": ");
    if (end == std::string_view::npos) return "libpq cannot read it";
    std::string shown{sentence.substr(0, end)};
    for (char& c : shown)  // this part, too, may contain characters of the URI
        if (c < ' ' || c > '~') c = '?';
    if (const auto name = parameter_in(uri, sentence.substr(end)); !name.empty())
        shown += ": \"" + base::quoted_part(uri, name) + '"';
    return shown;
}

}  // namespace turnstile::sql
