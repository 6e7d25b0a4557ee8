// SPDX-License-Identifier: Apache-2.0
// contender_effects: the actions that a contender, and the commits (guarded writes) of a hold, request from their
// session while they handle an event.
//
// Contenders and commits call no function of the session. They add effects to a vector, and after the event the session
// executes the effects in their order (core/session/contender_steps.hpp, core/session/data_call_steps.hpp).
//
// Thread safety: none, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

// ---- the effects of a contender -----------------------------------------------------------------

namespace contender_effects {

struct submit_for_contender {
    core::request request;
    friend bool operator==(const submit_for_contender&, const submit_for_contender&) = default;
};
// Creates the contender's znode, alone or together with znodes of contenders that enter at the same time.
struct enter {
    ticket id{};
    create_op znode;
    friend bool operator==(const enter&, const enter&) = default;
};
// Requests the names of a folder's children. The session sends the request (list) after it has received this effect.
// Several contenders may share the answer.
struct list {
    ticket id{};
    std::string folder;
    friend bool operator==(const list&, const list&) = default;
};
// Removes a znode of ours, and unregisters the contender from the watches on the paths `watched`. The session may delay
// the removal, and send it together with the removals of other contenders. An awaited removal, for which another
// contender may wait, is delayed only while many removals are in progress.
struct remove {
    ticket id{};
    std::string path;
    std::vector<std::string> watched;
    bool awaited = false;
    friend bool operator==(const remove&, const remove&) = default;
};

// Reports the contender's sequence number, and a step that the contender has taken. entered: the answer to the create
// gave the number. leaves: the removal is sent, and no contender was ahead. left: the servers have removed the znode.
// From these steps the session may conclude that the folder's next contender has no contender ahead.
enum class number_step { entered, leaves, left };
struct number_known {
    number_step step{};
    contender_family of{};
    std::int32_t number = 0;
    friend bool operator==(const number_known&, const number_known&) = default;
};

// Registers the contender for the events DELETED and CHANGED of a znode. The contender also submits the request (get)
// that sets the watch.
struct watch {
    std::string path;
    friend bool operator==(const watch&, const watch&) = default;
};
struct unwatch {
    std::string path;
    friend bool operator==(const unwatch&, const unwatch&) = default;
};
// Like unwatch, but the servers have no watch of this contender: the watch has fired or is about to fire, or the znode
// was gone before. An earlier contender of the session may have left a watch on the path. The session drops that watch
// if no contender is interested any more.
struct unwatch_gone {
    std::string path;
    friend bool operator==(const unwatch_gone&, const unwatch_gone&) = default;
};

// Requests a warning in the log: contenders of the family `theirs` came before a contender of the family `ours` in this
// folder, and the two families do not exclude each other.
struct warn_of_foreign {
    contender_family ours{};
    contender_family theirs{};
    friend bool operator==(const warn_of_foreign&, const warn_of_foreign&) = default;
};
// Reports to the session that the servers do not support container znodes.
struct containers_unsupported {
    friend bool operator==(const containers_unsupported&, const containers_unsupported&) = default;
};
// Reports to the session that the connection ended before the servers answered the request to create a parent znode.
// Some servers close the connection after a request that they do not know.
struct parent_create_lost {
    friend bool operator==(const parent_create_lost&, const parent_create_lost&) = default;
};
// Requests that the session searches for a znode with this GUID for a while. The folder has no such znode, but a create
// whose answer was lost may still make the znode.
struct abandon {
    std::string guid;
    friend bool operator==(const abandon&, const abandon&) = default;
};
// Requests the end of the session, which removes the contender's znode. The contender cannot remove the znode itself.
struct replace_session {
    std::string reason;
    friend bool operator==(const replace_session&, const replace_session&) = default;
};
// Requests a call of on_attached after a pause, because a request failed although the connection may still work. The
// session makes the call earlier if an event of the connection (link_event) comes.
struct retry_later {
    friend bool operator==(const retry_later&, const retry_later&) = default;
};
// A single attempt (attempt::once) has found contenders ahead, and ends with `busy`. If only one contender is ahead,
// and it is a hold of this session, the error names that hold. `predecessor`: the znode of the only contender ahead, or
// empty.
struct tell_busy {
    std::size_t ahead = 0;
    std::string predecessor;
    friend bool operator==(const tell_busy&, const tell_busy&) = default;
};
struct tell {
    decltype(notice::event) event;
    friend bool operator==(const tell&, const tell&) = default;
};

}  // namespace contender_effects

using contender_effect = std::variant<
    contender_effects::submit_for_contender, contender_effects::enter, contender_effects::list,
    contender_effects::remove, contender_effects::number_known, contender_effects::watch,
    contender_effects::unwatch, contender_effects::unwatch_gone, contender_effects::warn_of_foreign,
    contender_effects::containers_unsupported, contender_effects::parent_create_lost,
    contender_effects::abandon, contender_effects::replace_session, contender_effects::retry_later,
    contender_effects::tell_busy, contender_effects::tell>;

// ---- the effects of the commits of a hold (write_effects) ---------------------------------------

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
