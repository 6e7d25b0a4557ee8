// SPDX-License-Identifier: Apache-2.0
// open_commits: the guarded writes of a session that have no outcome yet. Reserves room for their ephemeral znodes
// (session_room.hpp).
//
// Thread safety: a value under the session's lock.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "client/client_services.hpp"
#include "client/commit_call.hpp"
#include "client/session_room.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

class open_commits {
public:
    // `room` must outlive this object.
    explicit open_commits(session_room& room) : room_{room} {}

    // Adds a commit, and reserves room for its znodes. Returns an error, and reserves nothing, if the room is too
    // small. `owned`: the bytes of the contenders' znodes, which the core counts.
    [[nodiscard]] std::optional<error> add(core::commit_id id,
                                           const std::shared_ptr<commit_call>& caller,
                                           std::size_t owned) {
        const auto bytes = caller->ephemeral_bytes();
        if (!room_.write(bytes, owned))
            return error{
                errc::too_many,
                fmt::format("the commit would add {} bytes of paths of ephemeral znodes, and the "
                            "session can safely own {} bytes in all",
                            bytes, session_room::k_most_owned)};
        callers_.emplace(id, caller);
        return std::nullopt;
    }
    // Passes the outcome to the caller. Frees the reserved room if the commit certainly wrote nothing.
    void answer(core::commit_answer& message, const client_services& services) {
        const auto found = callers_.extract(message.id);
        if (!found) return;
        const auto& caller = found.mapped();
        const auto* const why = std::get_if<error>(&message.outcome);
        if (why != nullptr && *why != errc::outcome_unknown)
            room_.take_back(caller->ephemeral_bytes());
        caller->answer(std::move(message.outcome), services);
    }

private:
    session_room& room_;
    std::map<core::commit_id, std::shared_ptr<commit_call>> callers_;
};

}  // namespace turnstile::detail
