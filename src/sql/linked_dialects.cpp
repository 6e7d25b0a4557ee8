// SPDX-License-Identifier: Apache-2.0
#include "sql/linked_dialects.hpp"

namespace turnstile::sql {

// Weak: the address of each function is null if its source is not linked in.
[[gnu::weak]] const dialect* sqlite_dialect() noexcept;
[[gnu::weak]] const dialect* postgresql_dialect() noexcept;
[[gnu::weak]] const dialect* mariadb_dialect() noexcept;

namespace {

const dialect* given_by(const dialect* (*function)() noexcept) noexcept {
    return function == nullptr ? nullptr : function();
}

}  // namespace

const dialect* dialect_of(kind which) noexcept {
    switch (which) {
        case kind::sqlite: return given_by(&sqlite_dialect);
        case kind::postgresql: return given_by(&postgresql_dialect);
        case kind::mariadb: return given_by(&mariadb_dialect);
    }
    return nullptr;
}

}  // namespace turnstile::sql
