// SPDX-License-Identifier: Apache-2.0
// client_requests: the requests that a session has passed to the C client, and the watches that they set.
//
//     watch_book   remembers which watches must be removed
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "zookeeper/client_handle.hpp"
#include "zookeeper/link_state.hpp"
#include "zookeeper/operations.hpp"
#include "zookeeper/outstanding_requests.hpp"
#include "zookeeper/own_znodes.hpp"
#include "zookeeper/server_knowledge.hpp"

namespace turnstile::zookeeper {

// Remembers which watches must be removed, and when the C client can remove them.
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

class client_requests {
public:
    // The references must outlive this object. `owner` gets the completions, `tell` the events of watches.
    client_requests(const client_handle& handle, const link_state& state, server_knowledge& servers,
                    completion_listener& owner, const watcher& tell)
        : handle_{handle}, state_{state}, servers_{servers}, owner_{owner}, tell_{tell} {}

    // Returns true if the request got its reply without the C client, and no earlier request waits for a reply.
    [[nodiscard]] bool submit(const core::request& request);
    void forget_watches(const std::string& path);
    // Sends each removal of watches that still has to be made. Either an earlier connection ended before the answer to
    // the removal came, or the session had no connection.
    void remove_left_over_watches();
    // Sends a read whose answer shows that the connection is still the same. `told`: what the server has reported about
    // itself.
    void send_witness(const std::optional<server_answers>& told);
    // If the C client has dropped a connection without a report, the C client still waits for answers to the requests
    // of that connection. The answer to a newer request shows the C client that these answers are missing. The C client
    // then gives up the earlier requests.
    void reveal_gap() {
        if (!is_idle()) send_witness({});
    }
    // Learns the server's software from `told`, the server's reports about itself. If the reports do not name the
    // software, sends two requests that not all servers know, once for a session.
    void identify(server_answers told);

    // Applies the code of a completion to the request. If the reply needs a second request (create_step::stat), sends
    // the second request, and returns nothing.
    [[nodiscard]] std::optional<judged_code> apply(outstanding_request& p, int rc);
    void apply_to_watches(const outstanding_request& p, int rc);
    void remove(outstanding_request& p) { pending_.remove(p); }
    // Removes the earliest request and returns its reply, if the reply is known; otherwise returns nothing.
    [[nodiscard]] std::optional<core::reply> take_settled();
    [[nodiscard]] bool has_settled() noexcept { return pending_.first_settled() != nullptr; }
    // True if no request is in progress in the C client.
    [[nodiscard]] bool is_idle() const noexcept { return pending_.with_client() == 0; }
    // Call this after the handle was closed.
    void clear() noexcept { pending_.clear(); }

    [[nodiscard]] const own_znodes& own() const noexcept { return own_; }

private:
    outstanding_request& add(outstanding_request::purpose why);
    // Takes the result of a call of the C client. Returns false, and removes the request, if the call has failed.
    bool handed_over(outstanding_request& p, int rc);
    void send_removal(const std::string& path);
    [[nodiscard]] bool examine(const core::operation& question,
                               const std::optional<server_answers>& told);
    void forget_here(const std::string& path);
    // Sends the read of a created znode's Stat. Returns false if the create failed or the read cannot be sent.
    [[nodiscard]] bool send_stat(outstanding_request& p, judged_code& word);

    const client_handle& handle_;
    const link_state& state_;
    server_knowledge& servers_;
    completion_listener& owner_;
    const watcher tell_;
    outstanding_requests pending_;
    watch_book watches_;
    own_znodes own_;
};

}  // namespace turnstile::zookeeper
