// SPDX-License-Identifier: Apache-2.0
// write_parts: what a transaction asks of the core.
#pragma once

#include <variant>
#include <vector>

#include "core/contender/guarded_write.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

[[nodiscard]] inline core::create_mode mode_of(node_kind kind) noexcept {
    switch (kind) {
        case node_kind::persistent: return core::create_mode::persistent;
        case node_kind::ephemeral: return core::create_mode::ephemeral;
        case node_kind::persistent_sequential: return core::create_mode::persistent_sequential;
        case node_kind::ephemeral_sequential: return core::create_mode::ephemeral_sequential;
    }
    return core::create_mode::persistent;
}

[[nodiscard]] inline std::vector<core::write_part> write_parts_of(const transaction& writes,
                                                                  core::acl_policy acl) {
    std::vector<core::write_part> parts;
    for (const auto& part : writes.parts()) {
        if (const auto* create = std::get_if<transaction::create_part>(&part)) {
            parts.emplace_back(
                core::create_op{create->path, create->data, mode_of(create->kind), acl});
        } else if (const auto* set = std::get_if<transaction::set_part>(&part)) {
            parts.emplace_back(core::set_op{set->path, set->data, set->version});
        } else if (const auto* remove = std::get_if<transaction::remove_part>(&part)) {
            parts.emplace_back(core::remove_op{remove->path, remove->version});
        } else if (const auto* put = std::get_if<transaction::put_part>(&part)) {
            parts.emplace_back(core::put_op{put->path, put->data, acl});
        } else if (const auto* make = std::get_if<transaction::make_part>(&part)) {
            parts.emplace_back(core::make_op{make->path, acl});
        } else {
            const auto& check = std::get<transaction::check_part>(part);
            parts.emplace_back(core::check_op{check.path, check.version});
        }
    }
    return parts;
}

// As the servers answered; `asked` has for each part the path that it creates, else an empty one.
[[nodiscard]] inline commit_result result_of(core::committed&& done,
                                             const std::vector<std::string>& asked) {
    commit_result answer;
    answer.names_known = done.paths.has_value();
    answer.created = done.paths ? std::move(*done.paths) : asked;
    answer.versions = std::move(done.versions);
    answer.versions.resize(asked.size(), any_version);
    return answer;
}

}  // namespace turnstile::detail
