// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/client_log.hpp"

#include <array>
#include <utility>

#include "base/log.hpp"

namespace turnstile::zookeeper {

client_line parse_client_line(std::string_view line) noexcept {
    static constexpr std::array<std::pair<std::string_view, log_level>, 4> k_levels{{
        {":ZOO_ERROR@", log_level::info},
        {":ZOO_WARN@", log_level::info},
        {":ZOO_INFO@", log_level::debug},
        {":ZOO_DEBUG@", log_level::trace},
    }};
    while (line.ends_with('\n')) line.remove_suffix(1);
    for (const auto& [mark, level] : k_levels) {
        const auto at = line.find(mark);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = line.substr(at + mark.size());
        const auto text = rest.find(": ");
        return {level, text == std::string_view::npos ? rest : rest.substr(text + 2)};
    }
    return {log_level::info, line};
}

void on_client_line(const char* line) noexcept {
    if (line == nullptr) return;
    const client_line parsed = parse_client_line(line);
    log::write(parsed.level, "ZooKeeper client: {}", parsed.text);
}

}  // namespace turnstile::zookeeper
