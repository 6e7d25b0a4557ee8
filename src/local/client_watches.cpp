// SPDX-License-Identifier: Apache-2.0
#include "local/client_watches.hpp"

#include <variant>

namespace turnstile::local {
namespace {

using core::server_error;
using core::watch_kind;
using core::watch_mode;

}  // namespace

void client_watches::on_reply(const core::operation& operation, server_error answer) {
    const bool ok = answer == server_error::ok;
    if (const auto* get = std::get_if<core::get_op>(&operation)) {
        if (ok && get->watch == watch_mode::watch) list_.data.insert(get->path);
    } else if (const auto* children = std::get_if<core::children_op>(&operation)) {
        if (ok && children->watch == watch_mode::watch) list_.children.insert(children->path);
    } else if (const auto* exists = std::get_if<core::exists_op>(&operation)) {
        if (exists->watch == watch_mode::none) return;
        if (ok) list_.data.insert(exists->path);
        if (answer == server_error::no_node) list_.exists.insert(exists->path);
    }
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
}

}  // namespace turnstile::local
