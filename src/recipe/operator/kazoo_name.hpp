// SPDX-License-Identifier: Apache-2.0
// kazoo_name: the names of the znodes that kazoo's lock recipes create.
//
// | recipe           | name                       | waits for these znodes ahead      |
// |------------------|----------------------------|-----------------------------------|
// | Lock, WriteLock  | `<32 hex>__lock__<n>`      | all                               |
// | ReadLock         | `<32 hex>__rlock__<n>`     | names with `__lock__`             |
//
// This library treats these znodes as foreign: they block none of its contenders (core/queue/contender_name.hpp). A
// survey shows them.
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

[[nodiscard]] std::optional<kazoo_name> parse_kazoo(std::string_view child) noexcept;

}  // namespace turnstile::detail
