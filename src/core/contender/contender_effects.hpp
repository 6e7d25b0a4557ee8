// SPDX-License-Identifier: Apache-2.0
// contender_effects: the actions that a contender requests from its session while it handles an event. After the event
// the session executes them in their order (core/session/contender_steps.hpp).
//
// Thread safety: none, values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

namespace contender_effects {

struct submit {
    core::request request;
    friend bool operator==(const submit&, const submit&) = default;
};
// Creates the contender's znode, alone or together with znodes of contenders that enter at the same time.
struct enter {
    ticket id{};
    create_op znode;
    friend bool operator==(const enter&, const enter&) = default;
};
// Lists a folder's children with a list that is sent from now on; other contenders may share it.
struct list {
    ticket id{};
    std::string folder;
    friend bool operator==(const list&, const list&) = default;
};
// Removes a znode of ours, and gives back its watches. Both may be delayed, and travel with the removals of other
// contenders: an awaited one, for which another contender may wait, only while many others are in progress.
struct remove {
    ticket id{};
    std::string path;
    std::vector<std::string> watched;
    bool awaited = false;
    friend bool operator==(const remove&, const remove&) = default;
};

// A step of a contender's number. entered: a create was answered with it. leaves: the removal of a contender that had
// none ahead is sent. left: the servers have removed it. From these steps the session may conclude that the next
// contender of the folder is alone.
enum class number_step { entered, leaves, left };
struct number_known {
    number_step step{};
    contender_family of{};
    std::int32_t number = 0;
    friend bool operator==(const number_known&, const number_known&) = default;
};

// Registers interest in DELETED and CHANGED of a znode, for which a get with a watch is submitted as well.
struct watch {
    std::string path;
    friend bool operator==(const watch&, const watch&) = default;
};
struct unwatch {
    std::string path;
    friend bool operator==(const unwatch&, const unwatch&) = default;
};
// Like unwatch, for a contender without a watch at the servers: the watch has fired or is about to, or the znode was
// gone before. But a watch that another contender of the session left to this one is given back.
struct unwatch_gone {
    std::string path;
    friend bool operator==(const unwatch_gone&, const unwatch_gone&) = default;
};

// Contenders of the family `theirs` came before one of `ours` in this folder, and the two families do not exclude each
// other: the log warns of it.
struct warn_of_foreign {
    contender_family ours{};
    contender_family theirs{};
    friend bool operator==(const warn_of_foreign&, const warn_of_foreign&) = default;
};
// The servers do not support containers.
struct containers_unsupported {
    friend bool operator==(const containers_unsupported&, const containers_unsupported&) = default;
};
// The connection ended before the create of a parent was answered. Some servers close it at an unknown request.
struct parent_create_lost {
    friend bool operator==(const parent_create_lost&, const parent_create_lost&) = default;
};
// A create with this GUID is not in the folder, and must not appear there: the session searches for it for a while.
struct abandon {
    std::string guid;
    friend bool operator==(const abandon&, const abandon&) = default;
};
// Our znode cannot be removed, so the session must end: its end removes the znode.
struct replace_session {
    std::string reason;
    friend bool operator==(const replace_session&, const replace_session&) = default;
};
// A request failed although the connection may live. If no link event comes before, the session calls on_attached after
// a pause.
struct retry_later {
    friend bool operator==(const retry_later&, const retry_later&) = default;
};
struct tell {
    decltype(notice::event) event;
    friend bool operator==(const tell&, const tell&) = default;
};

}  // namespace contender_effects

using contender_effect =
    std::variant<contender_effects::submit, contender_effects::enter, contender_effects::list,
                 contender_effects::remove, contender_effects::number_known,
                 contender_effects::watch, contender_effects::unwatch,
                 contender_effects::unwatch_gone, contender_effects::warn_of_foreign,
                 contender_effects::containers_unsupported, contender_effects::parent_create_lost,
                 contender_effects::abandon, contender_effects::replace_session,
                 contender_effects::retry_later, contender_effects::tell>;

}  // namespace turnstile::core
