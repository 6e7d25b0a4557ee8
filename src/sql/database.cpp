// SPDX-License-Identifier: Apache-2.0
#include "sql/database.hpp"

#include <charconv>

namespace turnstile::sql {

std::int64_t to_integer(const std::string& cell) {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (wrong != std::errc{} || end != cell.data() + cell.size())
        throw database_error{failure::fatal, "'" + cell + "' is no number"};
    return number;
}

}  // namespace turnstile::sql
