// SPDX-License-Identifier: Apache-2.0
// inquiry_steps: sends the reads and writes of callers that have no hold, repeats each of them until the servers have
// answered it (inquiries.hpp), and passes the answers to the callers (session_owners.hpp).
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class inquiry_steps {
public:
    explicit inquiry_steps(session_owners& owners) : owners_{owners} {}

    void start(inquiry_id id, const operation& op, std::optional<time_point> deadline,
               std::uint64_t only_on = 0);
    void send_all();
    void on_reply(inquiry_id id, const reply& answer);
    void answer(inquiry_id id, std::variant<reply, error>&& outcome);
    void fail_all(const error& why);

private:
    void send(inquiry_id id);

    session_owners& owners_;
};

}  // namespace turnstile::core
