// SPDX-License-Identifier: Apache-2.0
#include "sql/database.hpp"

#include <charconv>

#include "base/path.hpp"

namespace turnstile::sql {

std::int64_t to_integer(const std::string& cell) {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (wrong != std::errc{} || end != cell.data() + cell.size())
        throw database_error{failure::fatal, base::printable(cell) + " is no number"};
    return number;
}

asked_statement database::ask_to_update_session(const std::string& assignments,
                                                const std::string& condition,
                                                const std::string& answer,
                                                std::initializer_list<value> arguments) {
    return ask("UPDATE turnstile_sessions SET " + assignments + " WHERE " + condition +
                   " RETURNING " + answer,
               arguments);
}

database::asked_start database::ask_to_start(const std::string& assignments,
                                             const std::string& condition,
                                             const std::string& answer,
                                             std::initializer_list<value> arguments,
                                             std::span<const std::string> paths) {
    const asked_statement session =
        ask_to_update_session(assignments, condition, answer, arguments);
    lock(paths, lock_mode::exclusive);
    return {session, ask_number()};
}

std::optional<database::start> database::started(const asked_start& asked) {
    const result_rows session = answer(asked.session);
    if (session.rows.empty() || session.rows.front().front().empty()) return std::nullopt;
    const row& cells = session.rows.front();
    return start{to_integer(cells.front()),
                 to_integer(asked.number ? answer(*asked.number).rows.front().front() : cells[1])};
}

result_rows database::answer(asked_statement which) {
    const auto found = answers_.extract(which);
    if (found.empty()) throw database_error{failure::fatal, "an answer was asked for twice"};
    return std::move(found.mapped());
}

}  // namespace turnstile::sql
