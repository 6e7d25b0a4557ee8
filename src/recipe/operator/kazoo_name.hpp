// SPDX-License-Identifier: Apache-2.0
// kazoo_name: what kazoo's lock recipes, as they are, call their znodes.
//
// | recipe           | name                       | waits for, ahead of it            |
// |------------------|----------------------------|-----------------------------------|
// | Lock, WriteLock  | `<32 hex>__lock__<n>`      | all                               |
// | ReadLock         | `<32 hex>__rlock__<n>`     | `__lock__`                        |
//
// To our recipes they are foreign (core/queue/contender_name.hpp): a survey shows them, and no rule of ours acts on them.
//
// Thread safety: a pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::detail {

struct kazoo_name {
    bool reads = false;
    std::int32_t sequence = 0;
    friend bool operator==(const kazoo_name&, const kazoo_name&) = default;
};

// nullopt for any other name.
[[nodiscard]] std::optional<kazoo_name> parse_kazoo(std::string_view child) noexcept;

}  // namespace turnstile::detail
