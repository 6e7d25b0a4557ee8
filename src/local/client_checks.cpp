// SPDX-License-Identifier: Apache-2.0
#include "local/client_checks.hpp"

#include <algorithm>
#include <variant>

#include "local/znode_path.hpp"

namespace turnstile::local {
namespace {

template <class Op>
bool accepts(const Op& op) noexcept {
    if constexpr (requires { op.mode; }) {
        const path_use use = core::is_sequential(op.mode) ? path_use::sequential : path_use::plain;
        return client_accepts_path(op.path, use);
    } else {
        return client_accepts_path(op.path, path_use::plain);
    }
}

bool accepts(const core::multi_part& part) noexcept {
    const auto* create = std::get_if<core::create_op>(&part);
    if (create != nullptr && create->mode == core::create_mode::container) return false;
    return std::visit([](const auto& op) { return accepts(op); }, part);
}

bool accepts(const core::multi_op& op) noexcept {
    return std::all_of(op.parts.begin(), op.parts.end(),
                       [](const core::multi_part& part) { return accepts(part); });
}

}  // namespace

bool client_accepts(const core::operation& op) noexcept {
    return std::visit([](const auto& each) { return accepts(each); }, op);
}

}  // namespace turnstile::local
