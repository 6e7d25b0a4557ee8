// SPDX-License-Identifier: Apache-2.0
#include "local/client_watches.hpp"

#include <variant>

namespace turnstile::local {
namespace {

using core::server_error;
using core::watch_kind;
using core::watch_mode;

}  // namespace

const std::string* watched_path(const core::operation& operation) noexcept {
    return std::visit(
        [](const auto& request) -> const std::string* {
            if constexpr (requires { request.watch; }) {
                return request.watch == watch_mode::watch ? &request.path : nullptr;
            } else {
                return nullptr;
            }
        },
        operation);
}

void client_watches::on_reply(const core::operation& operation, server_error answer) {
    const auto* path = watched_path(operation);
    if (path == nullptr) return;
    const bool ok = answer == server_error::ok;
    if (std::holds_alternative<core::exists_op>(operation)) {
        if (ok) set(list_.data, *path);
        if (answer == server_error::no_node) set(list_.exists, *path);
    } else if (ok) {
        set(std::holds_alternative<core::get_op>(operation) ? list_.data : list_.children, *path);
    }
}

void client_watches::set(std::set<std::string>& among, const std::string& path) {
    among.insert(path);
    owed_.erase(path);
}

bool client_watches::on_event(watch_kind kind, const std::string& path) {
    std::size_t found = 0;
    if (kind != watch_kind::children) found += list_.data.erase(path) + list_.exists.erase(path);
    if (kind == watch_kind::children || kind == watch_kind::deleted) {
        found += list_.children.erase(path);
    }
    return found > 0;
}

void client_watches::forget_watches(const std::string& path) {
    list_.data.erase(path);
    list_.exists.erase(path);
    list_.children.erase(path);
    owed_.erase(path);
}

std::vector<std::string> client_watches::take_owed(const std::set<std::string>& awaited) {
    std::vector<std::string> now;
    for (const auto& path : owed_)
        if (!awaited.contains(path)) now.push_back(path);
    for (const auto& path : now) owed_.erase(path);
    return now;
}

void client_watches::forget_owed() {
    for (const auto& path : take_owed({})) forget_watches(path);
}

}  // namespace turnstile::local
