// SPDX-License-Identifier: Apache-2.0
// client_watches: one session's watches, as a ZooKeeper client remembers them. After a reconnect, the client sets these
// watches again. It drops events for which it remembers no watch.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"

namespace turnstile::local {

// Returns the path on which the request sets a watch, or null if the request sets none.
[[nodiscard]] const std::string* watched_path(const core::operation& operation) noexcept;

// A value without thread safety. All paths include the chroot.
class client_watches {
public:
    // Adds the watch that the request has set at the server, if any.
    void on_reply(const core::operation& operation, core::server_error answer);
    // Removes the watches that the event has fired. Returns false if there was none: the caller must then drop the
    // event.
    [[nodiscard]] bool on_event(core::watch_kind kind, const std::string& path);
    void forget_watches(const std::string& path);

    // Records that the server has refused to remove the watches on `path`. The client must repeat the removal, unless a
    // later request sets a new watch there.
    void on_refused_give_back(const std::string& path) { owed_.insert(path); }
    [[nodiscard]] bool owes() const noexcept { return !owed_.empty(); }
    // Returns the paths whose watches the server has refused to remove; the client must send these removals again.
    // Omits the paths in `awaited`, on which a pending read is setting a watch. Does not return a path a second time.
    [[nodiscard]] std::vector<std::string> take_owed(const std::set<std::string>& awaited);
    // Call this when the connection has ended. Drops the watches whose removal the server has refused, so that the
    // client does not set them again.
    void forget_owed();

    [[nodiscard]] const client_watch_list& list() const noexcept { return list_; }

    friend bool operator==(const client_watches&, const client_watches&) = default;

private:
    void set(std::set<std::string>& among, const std::string& path);

    client_watch_list list_;
    std::set<std::string> owed_;
};

}  // namespace turnstile::local
