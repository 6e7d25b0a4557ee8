// SPDX-License-Identifier: Apache-2.0
#include "client/commit_call.hpp"

#include <utility>
#include <variant>

#include "client/write_parts.hpp"

namespace turnstile::detail {

namespace {

// Returns the bytes of the znode in the transaction that closes the session, with the number that servers may append.
std::size_t bytes_of_ephemeral(const transaction::create_part& create) noexcept {
    constexpr std::size_t k_number_and_length_field = 14;
    const bool ephemeral =
        create.kind == node_kind::ephemeral || create.kind == node_kind::ephemeral_sequential;
    return ephemeral ? create.path.size() + k_number_and_length_field : 0;
}

}  // namespace

commit_call::commit_call(const transaction& writes, std::size_t chroot) {
    for (const auto& part : writes.parts()) {
        const auto* create = std::get_if<transaction::create_part>(&part);
        requested_paths_.push_back(create == nullptr ? std::string{} : create->path);
        const auto bytes = create == nullptr ? 0 : bytes_of_ephemeral(*create);
        if (bytes != 0) ephemeral_bytes_ += bytes + chroot;
    }
}

result<commit_result> commit_call::told(core::commit_outcome&& outcome_of_core) const {
    if (auto* why = std::get_if<error>(&outcome_of_core)) return std::move(*why);
    return result_of(std::move(std::get<core::committed>(outcome_of_core)), requested_paths_);
}

}  // namespace turnstile::detail
