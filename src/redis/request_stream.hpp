// SPDX-License-Identifier: Apache-2.0
// request_stream: the requests of a session, from the user's call to the reply.
//
// A session has a connection or not. Each time it gets one, the connection has the next number. With a connection the
// stream adds a request to the unsent commands. Without a connection the stream settles the request: the reply is known
// at once, and waits behind the replies to earlier requests.
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"
#include "local/chroot.hpp"
#include "redis/command_stream.hpp"
#include "redis/pending_requests.hpp"
#include "redis/replica_wait.hpp"
#include "redis/request_times.hpp"
#include "redis/requests.hpp"
#include "redis/session_arguments.hpp"
#include "redis/session_signals.hpp"

namespace turnstile::redis {

class request_stream {
public:
    // The stream wakes the session's thread by `signals` for replies that are known, and for bytes that the socket has
    // not accepted. The references must outlive this object.
    request_stream(local::chroot root, replica_wait replicas, const session_arguments& arguments,
                   request_times& times, session_signals& signals)
        : root_{std::move(root)},
          replicas_{std::move(replicas)},
          arguments_{arguments},
          times_{times},
          signals_{signals} {}

    // ---- the connection ----
    void attach(std::shared_ptr<line> commands);
    // Counts the connection, on which nothing is sent before `open`.
    void begin_connection() noexcept { ++connection_; }
    void open() noexcept { state_ = state::attached; }
    // Returns the requests without a reply. `for_ever`: the session has ended.
    [[nodiscard]] std::deque<pending_request> detach(bool for_ever);
    [[nodiscard]] std::uint64_t connection() const noexcept { return connection_; }
    [[nodiscard]] bool is_open(std::uint64_t connection) const noexcept {
        return state_ == state::attached && connection_ == connection;
    }

    // ---- requests ----
    // `with_next`: the caller submits another request at once, and the session sends both together.
    void submit(core::request&& request, bool with_next);
    void forget_watches(const std::string& path);
    // Adds a request of the session itself.
    void ask(purpose why, const script_call& call);
    void ask_to_forget(std::string&& path);
    // Sends the unsent requests. Unlocks the session's lock during the system call.
    void flush(base::unique_lock& held);
    // Sends the bytes that the socket accepts now. Returns the connection's descriptor if bytes are left, else -1.
    [[nodiscard]] int send_rest() { return commands_.send_rest(); }
    // Asks the server to end the session. Returns the number of replies that come until then; 0: no connection.
    [[nodiscard]] std::size_t say_good_bye(base::unique_lock& held);
    // Returns the paths whose watches were given back while the session was detached.
    [[nodiscard]] std::vector<std::string> take_given_back() {
        return std::exchange(given_back_, {});
    }

    // ---- replies ----
    // Returns the request that the server's next answer is for.
    [[nodiscard]] std::optional<pending_request> take_first() { return pending_.take_first(); }
    void put_back(pending_request&& request) { pending_.put_back(std::move(request)); }
    // Returns the next reply if it is known.
    [[nodiscard]] std::optional<core::reply> take_settled() { return pending_.take_settled(); }
    // The paths on which pending requests set watches.
    [[nodiscard]] std::set<std::string> watched_paths() const { return pending_.watched_paths(); }
    // The send time of the request whose answer comes next; nothing if none comes.
    [[nodiscard]] std::optional<core::time_point> awaited_since() const;
    // Completes the reply to a request with the session's part.
    void complete(core::ticket id, core::time_point sent, core::reply& reply) const;
    // True if an event in an announcement is in order: no reply can belong before it. If replicas must acknowledge,
    // they may lack the event.
    [[nodiscard]] bool takes_announced_event() const noexcept {
        return pending_.empty() && !replicas_.is_needed();
    }
    // Lets `along` answer the request that this thread may submit, until `end_along`.
    void begin_along(std::optional<answer_along>&& along);
    // Returns true if no answer was left.
    [[nodiscard]] bool end_along() { return !std::exchange(along_, std::nullopt); }

private:
    enum class state { detached, attached, dead };

    [[nodiscard]] bool send_entry(core::request& list);
    [[nodiscard]] bool answer_with_along(const core::request& request);
    void send_or_settle(core::request&& request);
    void settle(core::ticket id, core::outcome how, core::server_error error);
    void send(pending_request&& request, const script_call& call);

    const local::chroot root_;
    const replica_wait replicas_;
    const session_arguments& arguments_;
    request_times& times_;
    session_signals& signals_;
    state state_ = state::detached;
    std::uint64_t connection_ = 0;
    command_stream commands_;
    pending_requests pending_;
    std::optional<core::request> kept_;  // a create that waits for the list of its folder
    std::optional<answer_along> along_;  // while the event that it came with is being delivered
    pthread_t along_for_{};              // the thread that delivers the event
    std::vector<std::string> given_back_;
};

}  // namespace turnstile::redis
