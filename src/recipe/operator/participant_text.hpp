// SPDX-License-Identifier: Apache-2.0
// participant_text: the text of a participant's znode in an election. It has the participant's id, as in Curator's
// znodes. If the participant has published data, a line with the data follows; Curator's participants read that line as
// a part of the id:
//
//     host-1
//     host-1\nturnstile-data=10.0.0.7:8080
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::detail {

// The id itself, or a default; throws bad_option for an id that breaks the rule.
[[nodiscard]] std::string checked_id(const std::string& id);
// Throws bad_option for data that breaks the rule.
[[nodiscard]] std::string participant_text(const std::string& id, const std::string& data);

struct published {
    std::string id;
    std::string data;
    friend bool operator==(const published&, const published&) = default;
};

// Another client's text may have any form. Without the line `turnstile-data=` the whole text is the id.
[[nodiscard]] published parse_participant(std::string_view text);

}  // namespace turnstile::detail
