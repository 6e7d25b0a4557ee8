// SPDX-License-Identifier: Apache-2.0
#include "local/chroot.hpp"

#include <variant>

namespace turnstile::local {

std::string chroot::to_server(const std::string& path) const {
    if (prefix_.empty()) return path;
    return path == "/" ? prefix_ : prefix_ + path;
}

std::string chroot::to_client(const std::string& path) const {
    if (!path.starts_with(prefix_)) return path;
    return path.size() == prefix_.size() ? "/" : path.substr(prefix_.size());
}

void chroot::to_server(core::operation& op) const {
    const auto rebase = [this](auto& request) { request.path = to_server(request.path); };
    if (auto* multi = std::get_if<core::multi_op>(&op)) {
        for (core::multi_part& part : multi->parts) std::visit(rebase, part);
        return;
    }
    std::visit(
        [&](auto& request) {
            if constexpr (requires { request.path; }) rebase(request);
        },
        op);
}

void chroot::to_client(core::reply& r) const {
    if (!r.path.empty()) r.path = to_client(r.path);
    for (std::string& path : r.paths) {
        if (!path.empty()) path = to_client(path);
    }
}

}  // namespace turnstile::local
