// SPDX-License-Identifier: Apache-2.0
// participants: the participants of an election, and the texts in their znodes.
//
// The text has the participant's id, as Curator's znodes have. If the participant has published data, a line with the
// data follows. Curator's participants read that line as a part of the id:
//
//     host-1
//     host-1\nturnstile-data=10.0.0.7:8080
//
// Thread safety: pure functions, and queries from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/lock/queue_lock.hpp"
#include "turnstile/participant.hpp"

namespace turnstile::detail {

// Returns the id, or a default for an empty id. Throws bad_option for an id that is not valid UTF-8, is longer than
// 1,024 bytes, or contains a line "turnstile-data=".
[[nodiscard]] std::string checked_id(const std::string& id);
// Throws bad_option for data that are not valid UTF-8, or longer than 1,024 bytes.
[[nodiscard]] std::string participant_text(const std::string& id, const std::string& data);

struct published {
    std::string id;
    std::string data;
    friend bool operator==(const published&, const published&) = default;
};

// Parses the text of any client. Without the line `turnstile-data=` the whole text is the id.
[[nodiscard]] published parse_participant(std::string_view text);

// Returns all participants; the participant that leads is first.
[[nodiscard]] result<std::vector<participant>> participants(const queue_lock& queue,
                                                            const query_options& options);
[[nodiscard]] result<std::optional<participant>> first_participant(const queue_lock& queue,
                                                                   const query_options& options);

}  // namespace turnstile::detail
