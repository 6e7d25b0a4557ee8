// SPDX-License-Identifier: Apache-2.0
#include "sql/path_limit.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

namespace turnstile::sql {
namespace {

using core::server_error;

// The longest number that the database appends to the name of a sequential znode.
constexpr std::size_t k_longest_number = std::string_view{"-2147483648"}.size();

}  // namespace

// In a multi (a request that consists of several operations), one part with a long path is enough for a refusal. The
// reply then has `ok` for the parts before this part, although nothing changed, and `rolled_back` for the parts after
// it.
std::optional<core::reply> refusal_of_long_paths(const core::operation& op, std::size_t most) {
    const auto is_longer = [most](const auto& part) {
        std::size_t size = part.path.size();
        if constexpr (requires { part.mode; })
            if (core::is_sequential(part.mode)) size += k_longest_number;
        return size > most;
    };
    if (const auto* multi = std::get_if<core::multi_op>(&op)) {
        const auto& parts = multi->parts;
        const auto failed = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
            return std::visit(is_longer, part);
        });
        if (failed == parts.end()) return std::nullopt;
        auto refused = core::answered(server_error::bad_arguments);
        refused.parts.resize(static_cast<std::size_t>(failed - parts.begin()), server_error::ok);
        refused.parts.push_back(server_error::bad_arguments);
        refused.parts.resize(parts.size(), server_error::rolled_back);
        return refused;
    }
    const bool refused = std::visit(
        [&](const auto& request) {
            if constexpr (requires { request.path; }) {
                return is_longer(request);
            } else {
                return false;
            }
        },
        op);
    if (!refused) return std::nullopt;
    return core::answered(core::is_write(op) ? server_error::bad_arguments : server_error::no_node);
}

}  // namespace turnstile::sql
