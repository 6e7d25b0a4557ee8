// SPDX-License-Identifier: Apache-2.0
// acquisition_context: what an acquisition may ask of the session that it belongs to.
//
// It is passed in with each event and not kept. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_index.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class acquisition_context {
public:
    [[nodiscard]] virtual bool attached() const = 0;  // to a server with a majority
    [[nodiscard]] virtual std::uint64_t connection() const = 0;
    [[nodiscard]] virtual std::int64_t session_id() const = 0;
    // The lease is valid, with a margin in which a first confirmation is answered (confirmation_pace::lasts).
    [[nodiscard]] virtual bool lease_lasts() const = 0;
    // A znode may be created here: the session is where it is to stay, or leases last well wherever it is. And it is this
    // contender's turn (request_window.hpp).
    [[nodiscard]] virtual bool may_enter() const { return true; }
    // No hold can become certain on this connection: a znode would only stand in others' way.
    [[nodiscard]] virtual std::optional<error> no_lease() const { return std::nullopt; }
    [[nodiscard]] virtual acl_policy acl() const = 0;
    [[nodiscard]] virtual create_mode parent_mode() const = 0;  // container, or persistent
    virtual void containers_unsupported() = 0;
    // The connection ended before a parent's create was answered. Some servers end it at a request that they do not know.
    virtual void parent_create_lost() {}

    [[nodiscard]] virtual time_point now() const = 0;
    // How long another client's write into our znode may be unknown at a grant: half of what a `take` leaves beside the
    // hold's first confirmation and lease, one interval at most (confirmation_pace::unseen_for).
    [[nodiscard]] virtual duration unseen_for() const = 0;
    // The time to wait by this clock so that by every clock within the drift at least `wanted` has passed.
    [[nodiscard]] virtual duration lengthened(duration wanted) const = 0;

    virtual std::string new_guid() = 0;
    virtual ticket submit(operation&& op) = 0;
    // Creates a contender's znode, by itself or together with those of others that enter in one go.
    virtual ticket enter(create_op&& znode) { return submit(std::move(znode)); }
    // The children of a folder, in a list that is sent from now on: others that ask meanwhile may share it.
    virtual ticket list(const std::string& folder) { return submit(children_op{folder}); }
    // Removes a znode of ours whose end is not waited for in particular, and gives back what it watched: both may
    // wait for others, and go with them.
    virtual ticket remove(const std::string& path, const std::vector<std::string>& watched) {
        for (const auto& watched_path : watched) unwatch(watched_path);
        return submit(remove_op{path});
    }
    // Several are given up in one go: their znodes go together, those of holds too.
    [[nodiscard]] virtual bool gathers_removals() const { return false; }
    // The list whose answer is told now, if it is prepared for many.
    [[nodiscard]] virtual const queue_index* index(contender_family /*of*/) { return nullptr; }
    // Interest in DELETED and CHANGED of a znode that a get with a watch was submitted for.
    virtual void watch(const std::string& path) = 0;
    virtual void unwatch(const std::string& path) = 0;
    // The same where we have set no watch that still stands: it has fired, is about to, or the znode was gone before.
    // One that another acquisition of the session has left to us is given back.
    virtual void unwatch_gone(const std::string& path) = 0;
    // Whether a waiter may watch `all` znodes, `more` of which it does not yet, with paths of so many bytes.
    [[nodiscard]] virtual bool has_room_to_watch(std::size_t /*all*/, std::size_t /*more*/,
                                                 std::size_t /*bytes*/) const {
        return true;
    }
    // Contenders of the family `theirs` came before one of `ours` in this folder, and neither excludes the other: the
    // refusal, if the client refuses that.
    virtual std::optional<error> foreign_ahead(const std::string& /*folder*/,
                                               contender_family /*ours*/,
                                               contender_family /*theirs*/) {
        return std::nullopt;
    }
    // A create in this folder that is not, and must not be, there: it is looked for a while longer.
    virtual void abandon(const std::string& guid) = 0;
    // Our znode cannot be removed: the session has to end with it.
    virtual void replace_session(const std::string& reason) = 0;
    virtual void tell(decltype(notice::event)&& event) = 0;
    // Nothing came of a request although the connection may live: call on_attached some time later,
    // should no link event come first.
    virtual void retry_later() {}

protected:
    ~acquisition_context() = default;
};

}  // namespace turnstile::core
