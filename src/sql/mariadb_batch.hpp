// SPDX-License-Identifier: Apache-2.0
// mariadb_batch: statements that wait until the client sends them as one text, together with the next statement whose
// answer the caller needs.
//
// Thread safety: a value, for one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sql/database.hpp"
#include "sql/mariadb_link.hpp"

namespace turnstile::sql {

class mariadb_batch {
public:
    // Returns false if the client must send the batch before it adds `text`, because the batch would become longer than
    // 1 MiB. Every server accepts a message of 4 MiB.
    [[nodiscard]] bool has_room_for(const std::string& text) const noexcept {
        constexpr std::size_t k_long_text = std::size_t{1} << 20;
        return text_.empty() || text_.size() + text.size() <= k_long_text;
    }
    // Adds one or several statements. `asker` identifies the request that gets the answer to the last statement. The
    // number of semicolons gives the number of statements, because no value contains a semicolon: texts become
    // hexadecimal digits.
    void add(const std::string& text, std::optional<asked_statement> asker) {
        if (!text_.empty()) text_ += ';';
        text_ += text;
        size_ += 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ';'));
        if (asker) asked_.push_back({*asker, size_ - 1});
    }
    // Call this after add() with an `asker`. take_rows() then returns, as the answer to that statement, the identity
    // (AUTO_INCREMENT) of the row that the statement inserts.
    void ask_for_inserted() noexcept { asked_.back().is_inserted = true; }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // Returns the rows for each asker. Omits the first failed statement and all statements after it.
    [[nodiscard]] std::unordered_map<asked_statement, result_rows> take_rows(
        mariadb_answers& answers) const {
        std::unordered_map<asked_statement, result_rows> taken;
        for (const asked& each : asked_) {
            if (each.place >= answers.each.size()) break;
            result_rows& rows = answers.each[each.place];
            if (each.is_inserted && rows.affected == 1)
                rows.rows.push_back({std::to_string(answers.inserted[each.place])});
            taken.emplace(each.asker, std::move(rows));
        }
        return taken;
    }

private:
    struct asked {
        asked_statement asker{};
        std::size_t place = 0;  // among the statements
        bool is_inserted = false;
    };

    std::string text_;
    std::size_t size_ = 0;
    std::vector<asked> asked_;
};

}  // namespace turnstile::sql
