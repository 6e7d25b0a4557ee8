// SPDX-License-Identifier: Apache-2.0
// write_effects: the actions that the commits (guarded writes) of a hold request from their session while they handle
// an event.
//
// A commit calls no function of the session. It adds effects to a vector, and after the event the session executes the
// effects in their order (core/session/commit_steps.hpp).
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

// The outcome of a commit that the servers applied.
struct committed {
    // Names of created znodes: one entry for each operation of the caller, empty if the operation creates no znode.
    // Nothing if the commit's answer was lost, and only the version of the hold's znode showed the success.
    std::optional<std::vector<std::string>> paths;
    // New versions of znodes: one entry for each operation of the caller, -1 if the operation sets no version. Empty
    // if `paths` has no value.
    std::vector<std::int32_t> versions{};
    friend bool operator==(const committed&, const committed&) = default;
};
using commit_outcome = std::variant<committed, error>;

// The znode of a hold, as far as the hold knows it.
struct own_znode {
    std::string path;
    std::string data;
    std::int32_t version = 0;
    bool settled = false;  // true: the hold is not about to change its znode
    friend bool operator==(const own_znode&, const own_znode&) = default;
};

namespace write_effects {

struct submit_for_commits {
    core::request request;
    friend bool operator==(const submit_for_commits&, const submit_for_commits&) = default;
};
// Requests that the session sends the commits' requests again after a pause, because one of them failed although the
// connection may still work.
struct retry_commits_later {
    friend bool operator==(const retry_commits_later&, const retry_commits_later&) = default;
};
// Reports the version of the hold's znode; k_any_version while the version is unknown.
struct version_became {
    std::int32_t version = k_any_version;
    friend bool operator==(const version_became&, const version_became&) = default;
};
// The answer to a read of the hold's znode. The session passes the answer on to the hold, which may end because of it.
struct apply {
    reply answer;
    friend bool operator==(const apply&, const apply&) = default;
};
struct tell_outcome {
    commit_id commit{};
    commit_outcome outcome;
    friend bool operator==(const tell_outcome&, const tell_outcome&) = default;
};

}  // namespace write_effects

using write_effect =
    std::variant<write_effects::submit_for_commits, write_effects::retry_commits_later,
                 write_effects::version_became, write_effects::apply, write_effects::tell_outcome>;

}  // namespace turnstile::core
