// SPDX-License-Identifier: Apache-2.0
// Fuzzes queries of HTTP: the server reads a query or refuses it with 400. If a query is written with escapes and read
// again, the result is the same.
#include "admin/http/query.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "admin/http/refusal.hpp"

namespace {

namespace admin = turnstile::admin;

std::string escaped(const std::string& text) {
    constexpr const char* k_digits = "0123456789abcdef";
    std::string result;
    for (const char byte : text) {
        const auto number = static_cast<unsigned char>(byte);
        result += '%';
        result += k_digits[number / 16U];
        result += k_digits[number % 16U];
    }
    return result;
}

void check(const admin::query& asked) {
    std::string again = "/x?";
    for (const auto* name : {"a", "b"})
        if (const auto value = asked.text(name)) again += name + ("=" + escaped(*value) + "&");
    const admin::query second{again, {"a", "b"}};
    for (const auto* name : {"a", "b"}) {
        if (second.text(name) == asked.text(name)) continue;
        std::fprintf(stderr, "%s is another one when it is escaped\n", name);
        std::abort();
    }
    static_cast<void>(asked.number("limit", 50, {.least = 1, .most = 500}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        check(admin::query{{reinterpret_cast<const char*>(data), size}, {"a", "b", "limit"}});
    } catch (const admin::refusal& why) {
        if (why.status() != 400) std::abort();
    }
    return 0;
}
