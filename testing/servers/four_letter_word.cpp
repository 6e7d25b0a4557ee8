// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/four_letter_word.hpp"

#include <charconv>

#include "servers/tcp.hpp"

namespace turnstile::testing {

std::string four_letter_word(const std::string& host, std::uint16_t port, std::string_view word,
                             test_deadline until) {
    detail::tcp_connection connection{host, port, until};
    connection.send(word);
    return connection.receive_all();
}

std::map<std::string, std::int64_t> parse_counters(std::string_view mntr) {
    constexpr std::string_view k_prefix = "zk_";
    std::map<std::string, std::int64_t> counters;
    for (std::size_t begin = 0; begin < mntr.size();) {
        const auto end = std::min(mntr.find('\n', begin), mntr.size());
        auto line = mntr.substr(begin, end - begin);
        begin = end + 1;
        const auto tab = line.find('\t');
        if (tab == std::string_view::npos || !line.starts_with(k_prefix)) continue;
        std::int64_t value = 0;
        const char* const last = line.data() + line.size();
        const auto parsed = std::from_chars(line.data() + tab + 1, last, value);
        // Skips a value that is a text or a fraction.
        if (parsed.ec != std::errc{} || parsed.ptr != last) continue;
        counters.emplace(line.substr(k_prefix.size(), tab - k_prefix.size()), value);
    }
    return counters;
}

}  // namespace turnstile::testing
