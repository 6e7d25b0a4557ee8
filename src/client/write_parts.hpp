// SPDX-License-Identifier: Apache-2.0
// write_parts: converts a transaction into the core's operations, and the core's answer into a result.
#pragma once

#include <variant>
#include <vector>

#include "base/overloaded.hpp"
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
        parts.push_back(std::visit(
            base::overloaded{[acl](const transaction::create_part& p) -> core::write_part {
                                 return core::create_op{p.path, p.data, mode_of(p.kind), acl};
                             },
                             [](const transaction::set_part& p) -> core::write_part {
                                 return core::set_op{p.path, p.data, p.version};
                             },
                             [](const transaction::remove_part& p) -> core::write_part {
                                 return core::remove_op{p.path, p.version};
                             },
                             [](const transaction::check_part& p) -> core::write_part {
                                 return core::check_op{p.path, p.version};
                             },
                             [acl](const transaction::put_part& p) -> core::write_part {
                                 return core::put_op{p.path, p.data, acl};
                             },
                             [acl](const transaction::make_part& p) -> core::write_part {
                                 return core::make_op{p.path, acl};
                             }},
            part));
    }
    return parts;
}

// Converts the servers' answer to a commit. `asked`: one entry for each part of the transaction, with the path to
// create; empty for a part that creates none.
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
