// SPDX-License-Identifier: Apache-2.0
// Fuzzes the bytes of an HTTP connection. However the bytes are cut into pieces, the server reads the same requests or
// refuses them with the same error. No proxy may read an accepted request in another way.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "admin/http/limits.hpp"
#include "admin/http/refusal.hpp"
#include "admin/http/request_reader.hpp"

namespace {

namespace admin = turnstile::admin;

[[noreturn]] void fail(const char* rule) {
    std::fprintf(stderr, "%s\n", rule);
    std::abort();
}

void check(const admin::http_request& asked) {
    const auto visible = [](char byte) { return byte > ' ' && byte < '\x7f'; };
    const auto clean = [](char byte) {
        return byte == '\t' || (byte >= ' ' && byte != '\x7f') || byte < 0;
    };
    if (!asked.target.starts_with('/')) fail("the target is no path");
    if (!std::ranges::all_of(asked.target, visible)) fail("the target has an odd byte");
    if (asked.target.size() > admin::k_longest_target) fail("the target is too long");
    if (asked.headers.size() > admin::k_most_headers) fail("there are too many headers");
    if (asked.count("Transfer-Encoding") != 0) fail("the body has a coding");
    if (asked.count("Content-Length") > 1) fail("the body has two lengths");
    if (asked.count("Host") > 1) fail("there are two hosts");
    const auto length = asked.header("Content-Length");
    if (!asked.body.empty() && std::stoul(std::string{length}) != asked.body.size())
        fail("the body has not the length that was announced");
    for (const auto& each : asked.headers)
        if (!std::ranges::all_of(each.value, clean)) fail("a header has a control character");
}

// Returns the requests and the refusal as text. The reader gets `step` bytes at a time.
std::string story(const std::string& bytes, std::size_t step) {
    std::string told;
    admin::request_reader reader;
    try {
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            reader.put(std::string_view{bytes}.substr(at, step));
            while (reader.has_head()) {
                reader.expect_body(admin::k_largest_body);
                if (!reader.is_whole()) break;
                const bool last = reader.is_last();
                const auto asked = reader.take();
                check(asked);
                told += asked.method + " " + asked.target + " " + asked.body + "\n";
                if (last) return told;
                reader.put({});
            }
        }
    } catch (const admin::refusal& why) {
        told += std::to_string(why.status());
    }
    return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes{reinterpret_cast<const char*>(data), size};
    const auto whole = story(bytes, std::max<std::size_t>(size, 1));
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}})
        if (story(bytes, step) != whole) fail("pieces are read in another way");
    return 0;
}
