// SPDX-License-Identifier: Apache-2.0
// contender_effects: what a contender asks of its session in answer to an event. The session executes the effects in this
// order once the event is over (core/session/contender_steps.hpp).
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
// Creates the contender's znode, by itself or together with those of others that enter in one go.
struct enter {
    ticket id{};
    create_op znode;
    friend bool operator==(const enter&, const enter&) = default;
};
// Lists a folder's children, in a list that is sent from now on: others that ask meanwhile may share it.
struct list {
    ticket id{};
    std::string folder;
    friend bool operator==(const list&, const list&) = default;
};
// Removes a znode of ours whose end is not waited for in particular, and gives back what it watched: both may wait for
// others, and go with them.
struct remove {
    ticket id{};
    std::string path;
    std::vector<std::string> watched;
    friend bool operator==(const remove&, const remove&) = default;
};

// What becomes of a contender's number: a create was answered with it; its removal is sent, and it had none ahead; the
// servers have removed it. The session may find the next contender of the folder to be alone by it.
enum class number_step { entered, leaves, left };
struct number_known {
    number_step step{};
    contender_family of{};
    std::int32_t number = 0;
    friend bool operator==(const number_known&, const number_known&) = default;
};

// Interest in DELETED and CHANGED of a znode that a get with a watch is submitted for.
struct watch {
    std::string path;
    friend bool operator==(const watch&, const watch&) = default;
};
struct unwatch {
    std::string path;
    friend bool operator==(const unwatch&, const unwatch&) = default;
};
// The same where we have set no watch that still stands: it has fired, is about to, or the znode was gone before. A watch
// that another contender of the session has left to us is given back.
struct unwatch_gone {
    std::string path;
    friend bool operator==(const unwatch_gone&, const unwatch_gone&) = default;
};

// Contenders of the family `theirs` came before one of `ours` in this folder, and neither excludes the other: the log
// warns of that.
struct warn_of_foreign {
    contender_family ours{};
    contender_family theirs{};
    friend bool operator==(const warn_of_foreign&, const warn_of_foreign&) = default;
};
// The servers know no containers.
struct containers_unsupported {
    friend bool operator==(const containers_unsupported&, const containers_unsupported&) = default;
};
// The connection ended before a parent's create was answered. Some servers end it at a request that they do not know.
struct parent_create_lost {
    friend bool operator==(const parent_create_lost&, const parent_create_lost&) = default;
};
// A create with this GUID that is not, and must not be, in the folder: it is looked for a while longer.
struct abandon {
    std::string guid;
    friend bool operator==(const abandon&, const abandon&) = default;
};
// Our znode cannot be removed: the session has to end with it.
struct replace_session {
    std::string reason;
    friend bool operator==(const replace_session&, const replace_session&) = default;
};
// Nothing came of a request although the connection may live: the session calls on_attached some time later, should no
// link event come first.
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
