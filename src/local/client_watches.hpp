// SPDX-License-Identifier: Apache-2.0
// The watches as a ZooKeeper client keeps them on its side: it sets them again when it comes back
// to its session, and drops events that the client does not wait for any more.
#pragma once

#include <string>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"

namespace turnstile::local {

// A value without thread safety. All paths are the servers' (with the chroot).
class client_watches {
public:
    // A request was answered: the watch that it asked for, if any, is there from now on.
    void on_reply(const core::operation& operation, core::server_error answer);
    // An event came. False if no watch waits for it: then it is dropped.
    [[nodiscard]] bool on_event(core::watch_kind kind, const std::string& path);
    // Drops the watches on `path`.
    void forget_watches(const std::string& path);

    [[nodiscard]] const client_watch_list& list() const noexcept { return list_; }

    friend bool operator==(const client_watches&, const client_watches&) = default;

private:
    client_watch_list list_;
};

}  // namespace turnstile::local
