// SPDX-License-Identifier: Apache-2.0
// watch_book: remembers which watches must be removed, and when the C client can remove them.
//
// Purpose: the C client can remove only a watch that it has registered, and it registers a watch when the reply to the
// request arrives. Before that, a removal returns ZNOWATCHER and the watch remains. So if the core forgets a watch
// (needs it no longer) while the watch's request is in progress, the session removes the watch after the reply. A
// removal may be lost with its connection, or there may be no connection. Then the session removes the watch after the
// next attach, when the C client has set the watch again.
//
// | event                                                             | the session's action on the path's watches  |
// |-------------------------------------------------------------------|---------------------------------------------|
// | the session sends a request that sets a watch on the path         | keeps them: the core needs the watch again  |
// | the core forgets the watches; no request that sets one is pending | removes them now                            |
// | the core forgets the watches; requests that set one are pending   | removes them after the last of the replies  |
// | the last pending request that sets a watch is answered or lost    | removes them if the core has forgotten them |
// | the session attaches again                                        | removes them if the core has forgotten them |
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace turnstile::zookeeper {

class watch_book {
public:
    // Called when a request that sets a watch was passed to the C client.
    void asked(const std::string& path);
    // Called when a request that sets a watch was answered or lost. Returns true if the caller must remove the path's
    // watches now.
    [[nodiscard]] bool answered(const std::string& path);
    // Called when no caller needs the path's watches any more. Returns true if the caller must remove them now.
    [[nodiscard]] bool forgotten(const std::string& path);
    // Called when a removal was executed, or when there was no watch to remove.
    void removed(const std::string& path);
    // Returns the paths whose watches must be removed after an attach.
    [[nodiscard]] std::vector<std::string> left_over() const;

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

private:
    struct entry {
        std::size_t under_way = 0;
        bool unwanted = false;
    };
    std::map<std::string, entry> entries_;
};

}  // namespace turnstile::zookeeper
