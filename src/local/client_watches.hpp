// SPDX-License-Identifier: Apache-2.0
// The watches as a ZooKeeper client keeps them on its side. A client whose session has a connection again sets its
// watches again, and it drops events for which it has no watch any more.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"

namespace turnstile::local {

// The path on which the request asks for a watch; null: it asks for none.
[[nodiscard]] const std::string* watched_path(const core::operation& operation) noexcept;

// A value without thread safety. All paths are the paths of the servers (with the chroot).
class client_watches {
public:
    // A request was answered: the watch that it asked for, if any, is there from now on.
    void on_reply(const core::operation& operation, core::server_error answer);
    // An event came. False if no watch waits for it: then it is dropped.
    [[nodiscard]] bool on_event(core::watch_kind kind, const std::string& path);
    // Drops the watches on `path`.
    void forget_watches(const std::string& path);

    // A server has refused to remove the watches on `path`: the client has to ask again, unless a later request sets
    // a new watch there.
    void on_refused_give_back(const std::string& path) { owed_.insert(path); }
    [[nodiscard]] bool owes() const noexcept { return !owed_.empty(); }
    // The paths whose watches are to be removed now, without `awaited`: a read that sets a watch is under way on them.
    [[nodiscard]] std::vector<std::string> take_owed(const std::set<std::string>& awaited);
    // The connection is gone, and with it every watch that is not set again.
    void forget_owed();

    [[nodiscard]] const client_watch_list& list() const noexcept { return list_; }

    friend bool operator==(const client_watches&, const client_watches&) = default;

private:
    void set(std::set<std::string>& among, const std::string& path);

    client_watch_list list_;
    std::set<std::string> owed_;
};

}  // namespace turnstile::local
