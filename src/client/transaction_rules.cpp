// SPDX-License-Identifier: Apache-2.0
// The rules for transactions, as pure functions, so that the simulator can use them, too.
#include <utility>

#include <fmt/core.h>

#include "base/overloaded.hpp"
#include "base/path.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile {

namespace {

const std::string& path_of(const transaction::part& part) noexcept {
    return std::visit([](const auto& p) -> const std::string& { return p.path; }, part);
}

// Returns how many bytes the paths of all folders above this path have together. Counts every folder, as if it had to
// be created.
std::size_t bytes_above(const std::string& path) noexcept {
    std::size_t bytes = 0;
    for (auto at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        bytes += at;
    return bytes;
}

std::size_t bytes_of(const transaction::part& part) noexcept {
    return path_of(part).size() +
           std::visit(base::overloaded{
                          [](const transaction::create_part& p) { return p.data.size(); },
                          [](const transaction::set_part& p) { return p.data.size(); },
                          [](const transaction::remove_part& /*p*/) { return std::size_t{}; },
                          [](const transaction::check_part& /*p*/) { return std::size_t{}; },
                          [](const transaction::put_part& p) { return p.data.size(); },
                          [](const transaction::make_part& p) { return bytes_above(p.path); }},
                      part);
}

std::int32_t version_of(const transaction::part& part) noexcept {
    return std::visit(
        [](const auto& p) {
            if constexpr (requires { p.version; }) {
                return p.version;
            } else {
                return any_version;
            }
        },
        part);
}

bool is_sequential(const transaction::part& part) noexcept {
    const auto* create = std::get_if<transaction::create_part>(&part);
    return create != nullptr && (create->kind == node_kind::persistent_sequential ||
                                 create->kind == node_kind::ephemeral_sequential);
}

// The path of a sequential znode may end with "/". Then the znode's name consists of the number only.
result<void> check_path(const transaction::part& part) {
    const auto& path = path_of(part);
    if (is_sequential(part)) return base::validate_path(path + '0');
    const bool stays = std::holds_alternative<transaction::set_part>(part) ||
                       std::holds_alternative<transaction::check_part>(part) ||
                       std::holds_alternative<transaction::put_part>(part);
    if (path == "/" && !stays)
        return error{errc::bad_path, "\"/\": the root cannot be created or removed"};
    return base::validate_path(path);
}

}  // namespace

std::size_t transaction::bytes() const noexcept {
    std::size_t sum = 0;
    for (const auto& each : parts_) sum += bytes_of(each);
    return sum;
}

result<void> transaction::validate() const {
    if (parts_.empty()) return error{errc::bad_option, "a transaction needs at least one part"};
    if (parts_.size() > k_most_parts) {
        return error{errc::bad_option, fmt::format("{} parts: a transaction has at most {}",
                                                   parts_.size(), k_most_parts)};
    }
    if (bytes() > k_most_bytes) {
        return error{errc::bad_option,
                     fmt::format("{} bytes of paths and data: a transaction has at most {}",
                                 bytes(), k_most_bytes)};
    }
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (const auto good = check_path(parts_[i]); !good) {
            const auto& why = good.error();
            return error{why.code(), fmt::format("part {}: {}", i, why.message())}.of_part(i);
        }
        if (const auto version = version_of(parts_[i]); version < any_version) {
            return error{
                errc::bad_option,
                fmt::format("part {}: version {}: must be 0 or more, or any_version", i, version)}
                .of_part(i);
        }
    }
    return {};
}

}  // namespace turnstile
