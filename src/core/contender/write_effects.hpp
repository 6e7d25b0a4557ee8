// SPDX-License-Identifier: Apache-2.0
// write_effects: the actions that the commits of a hold request from their session while they handle an event.
//
// The commits call nothing: they add effects to a vector, and the session executes these in their order after the event
// (core/session/commit_steps.hpp).
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/contender_view.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// A commit that was applied.
struct committed {
    // For each part the name of the znode that it created, else empty. Nothing if the answer was lost and only the
    // version of the znode showed the success.
    std::optional<std::vector<std::string>> paths;
    // For each part the new version, -1 for a part without one. Empty if there are no paths.
    std::vector<std::int32_t> versions{};
    friend bool operator==(const committed&, const committed&) = default;
};
using commit_outcome = std::variant<committed, error>;

// The znode of a hold, as the hold knows it.
struct own_znode {
    std::string path;
    std::string data;
    std::int32_t version = 0;
    bool settled = false;  // the hold itself is not about to change it
    friend bool operator==(const own_znode&, const own_znode&) = default;
};

namespace write_effects {

struct submit {
    core::request request;
    friend bool operator==(const submit&, const submit&) = default;
};
// A request failed although the connection may live: the session calls on_attached after a pause.
struct retry_later {
    friend bool operator==(const retry_later&, const retry_later&) = default;
};
// The hold's znode has this version; k_any_version while the version is unknown.
struct version_became {
    std::int32_t version = k_any_version;
    friend bool operator==(const version_became&, const version_became&) = default;
};
// The hold handles this answer to a read of its znode, and may end because of it.
struct apply {
    reply answer;
    friend bool operator==(const apply&, const apply&) = default;
};
struct tell {
    commit_id commit{};
    commit_outcome outcome;
    friend bool operator==(const tell&, const tell&) = default;
};

}  // namespace write_effects

using write_effect =
    std::variant<write_effects::submit, write_effects::retry_later, write_effects::version_became,
                 write_effects::apply, write_effects::tell>;

}  // namespace turnstile::core
