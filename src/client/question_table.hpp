// SPDX-License-Identifier: Apache-2.0
// question_table: reads and writes that callers make without a hold, and that the servers have not answered yet.
//
// A caller sends several reads or writes in one `question_group`, an object on the caller's stack. The caller wakes
// when all of them are answered.
//
// Thread safety: values under the session's lock.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/mutex.hpp"
#include "client/caller_help.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

class question_group {
public:
    explicit question_group(std::size_t questions) : answers_(questions), missing_{questions} {}

    [[nodiscard]] bool is_answered() const noexcept { return missing_ == 0; }
    void answer(std::size_t place, std::variant<core::reply, error>&& outcome) {
        answers_[place] = std::move(outcome);
        if (--missing_ == 0) answered_.notify_all();
    }
    // Blocks until all reads and writes of the group are answered. A Boost interruption point.
    void await(base::unique_lock& session, caller_help& help) {
        while (!is_answered())
            if (!help.go_on(session)) answered_.wait(session);
    }
    // Returns the replies in the order of the caller's reads or writes, or the first error.
    [[nodiscard]] result<std::vector<core::reply>> take_replies() {
        std::vector<core::reply> replies;
        for (auto& answer : answers_) {
            if (auto* why = std::get_if<error>(&*answer)) return std::move(*why);
            replies.push_back(std::get<core::reply>(std::move(*answer)));
        }
        return replies;
    }

private:
    std::vector<std::optional<std::variant<core::reply, error>>> answers_;
    std::size_t missing_;
    base::condition_variable answered_;
};

class question_table {
public:
    void add(core::inquiry_id question, question_group& caller, std::size_t place) {
        open_.emplace(question, asked{&caller, place});
    }
    // Passes the answer to its caller. If the id is not in the table, no caller waits for the answer any more.
    void answer(core::answer& message) {
        if (const auto found = open_.extract(message.id))
            found.mapped().caller->answer(found.mapped().place, std::move(message.outcome));
    }

private:
    struct asked {
        question_group* caller = nullptr;
        std::size_t place = 0;
    };
    std::map<core::inquiry_id, asked> open_;
};

}  // namespace turnstile::detail
