// SPDX-License-Identifier: Apache-2.0
// Functions of the headers in turnstile/tools that send no requests: for connect strings, paths and the number of
// requests.
#include <cstdlib>
#include <stdexcept>

#include "base/masked.hpp"
#include "base/path.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "support/private_file.hpp"
#include "turnstile/tools/connect_string.hpp"
#include "turnstile/tools/path.hpp"
#include "turnstile/tools/request_count.hpp"

namespace turnstile {

std::string servers_in_file(const std::string& file) {
    auto line = support::first_line_of_private_file(file);
    if (line.empty()) throw std::runtime_error{file + ": the first line has no connect string"};
    return line;
}

std::string servers_in_environment() {
    const char* const servers = std::getenv(k_servers_variable);
    if (servers != nullptr && *servers != '\0') return servers;
    const char* const file = std::getenv(k_servers_file_variable);
    return file != nullptr && *file != '\0' ? servers_in_file(file) : std::string{};
}

std::string masked(std::string_view connect_string) {
    return base::masked(connect_string);
}

bool has_password(std::string_view connect_string) {
    return base::has_password(connect_string);
}

result<void> validate_path(std::string_view path) {
    return base::validate_path(path);
}

std::uint64_t requests_sent(const client& servers) noexcept {
    const auto impl = detail::internals::of(servers);
    return impl ? impl->services().requests.load(std::memory_order_relaxed) : 0;
}

}  // namespace turnstile
