// SPDX-License-Identifier: Apache-2.0
// request_stream: the requests of a session, from the user's call to the reply, and when it sends its own requests.
//
// The session's connections are numbered. While a connection is open, the stream appends each request to the unsent
// commands. Without a connection, the stream answers the request itself; this reply is delivered after the replies to
// earlier requests.
//
//     request_times   decides when a session sends its own requests
//
// Thread safety: none. The session's lock guards the objects.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <chrono>
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
#include "redis/pending_requests.hpp"
#include "redis/requests.hpp"
#include "redis/session_arguments.hpp"
#include "redis/session_lines.hpp"
#include "redis/session_threads.hpp"

namespace turnstile::redis {

// Decides when a session sends its own requests, which keep the session alive, fetch events and remove empty container
// znodes.
class request_times {
public:
    // `container_interval`: the time between the session's checks for empty containers.
    request_times(core::duration session_timeout, core::duration container_interval)
        : keep_alive_{session_timeout / k_keep_alive_part},
          silence_{std::max<core::duration>(session_timeout * k_silent_thirds / 3,
                                            std::chrono::milliseconds{100})},
          container_interval_{container_interval} {}

    void attached(core::time_point now) noexcept {
        sent(now);
        check_at_ = now + container_interval_;
    }
    // Call this after each request. Its reply brings all queued events, so no separate fetch is necessary.
    void sent(core::time_point now) noexcept {
        sent_ = now;
        fetch_by_ = core::time_point::max();
    }
    // Call this when the server has announced an event. Plans a fetch, because the server may have further events.
    void event_came(core::time_point now) noexcept { fetch_by_ = now + k_fetch_pause; }

    [[nodiscard]] bool is_poll_due(core::time_point now) const noexcept {
        return now >= fetch_by_ || now >= sent_ + keep_alive_;
    }
    // Returns true if the session must check for empty containers now, and schedules the next check.
    [[nodiscard]] bool take_check(core::time_point now) noexcept {
        if (now < check_at_) return false;
        check_at_ = now + container_interval_;
        return true;
    }
    // The argument of the script that removes containers: how long a container must be empty before its removal.
    [[nodiscard]] std::string check_span() const {
        return std::to_string(
            std::chrono::ceil<std::chrono::microseconds>(container_interval_).count());
    }
    // True if a request that was sent at `sent` has waited too long for a reply.
    [[nodiscard]] bool is_silent(core::time_point sent, core::time_point now) const noexcept {
        return now - sent > silence_;
    }
    [[nodiscard]] core::time_point next() const noexcept {
        return std::min({sent_ + keep_alive_, check_at_, fetch_by_});
    }

private:
    static constexpr int k_keep_alive_part = 3;  // ZooKeeper's clients use the same part
    // A server that sends no reply for this number of thirds of the session timeout counts as silent.
    static constexpr int k_silent_thirds = 2;
    // The pause between the announcement of an event and the fetch of further events. If the session sends a request
    // during the pause, the reply brings these events, and no fetch is needed.
    static constexpr core::duration k_fetch_pause = std::chrono::milliseconds{5};

    const core::duration keep_alive_;
    const core::duration silence_;
    const core::duration container_interval_;
    core::time_point sent_{};
    core::time_point check_at_{};
    // The latest time for fetching the events that may follow an announced event; max: there is nothing to fetch.
    core::time_point fetch_by_ = core::time_point::max();
};

class request_stream {
public:
    // `signals` wakes the session's thread when the stream answers a request without the server, or when the socket has
    // not accepted all bytes. `arguments`, `times` and `signals` must outlive this object.
    request_stream(local::chroot root, replica_wait replicas, const session_arguments& arguments,
                   request_times& times, session_signals& signals)
        : root_{std::move(root)},
          replicas_{std::move(replicas)},
          arguments_{arguments},
          times_{times},
          signals_{signals} {}

    // ---- the connection ----
    void attach(std::shared_ptr<line> commands);
    // Gives the new connection the next number. The stream sends nothing on it before `open`.
    void begin_connection() noexcept { ++connection_; }
    void open() noexcept { state_ = state::attached; }
    // Returns the requests that have no reply. `for_ever`: the session has ended.
    [[nodiscard]] std::deque<pending_request> detach(bool for_ever);
    [[nodiscard]] std::uint64_t connection() const noexcept { return connection_; }
    [[nodiscard]] bool is_open(std::uint64_t connection) const noexcept {
        return state_ == state::attached && connection_ == connection;
    }

    // ---- requests ----
    // `with_next`: the caller submits another request at once, and the stream then sends both together.
    void submit(core::request&& request, bool with_next);
    void forget_watches(const std::string& path);
    void ask(purpose why, const script_call& call);
    void ask_to_forget(std::string&& path);
    // Sends the unsent requests. Releases the session's lock during the system call.
    void flush(base::unique_lock& held);
    // Sends as many bytes as the socket accepts. Returns the connection's descriptor if bytes remain, otherwise -1.
    [[nodiscard]] int send_rest() { return commands_.send_rest(); }
    // Asks the server to end the session. Returns the number of replies that the server still owes. The number
    // includes the reply to this request, but not the replicas' acknowledgement of it. 0: no connection.
    [[nodiscard]] std::size_t say_good_bye(base::unique_lock& held);
    // Returns the paths whose watches the user removed while the session was detached.
    [[nodiscard]] std::vector<std::string> take_given_back() {
        return std::exchange(given_back_, {});
    }

    // ---- replies ----
    [[nodiscard]] std::optional<pending_request> take_first() { return pending_.take_first(); }
    void put_back(pending_request&& request) { pending_.put_back(std::move(request)); }
    [[nodiscard]] std::optional<core::reply> take_settled() { return pending_.take_settled(); }
    [[nodiscard]] std::set<std::string> watched_paths() const { return pending_.watched_paths(); }
    // The send time of the request to which the next reply belongs; nothing if no reply is expected.
    [[nodiscard]] std::optional<core::time_point> awaited_since() const;
    // Sets the reply's id, send time and connection, and removes the chroot from its paths.
    void complete(core::ticket id, core::time_point sent, core::reply& reply) const;
    // True if the session may deliver an announced event now, because no request waits for a reply. The reply to an
    // earlier request must be delivered before the event. If replicas must acknowledge writes, they may not have the
    // event yet, so the result is false.
    [[nodiscard]] bool takes_announced_event() const noexcept {
        return pending_.empty() && !replicas_.is_needed();
    }
    // `along`: a reply that the server has sent with an event, and the request to which this reply belongs. If the
    // calling thread submits this request before it calls `end_along`, the stream answers the request with the reply.
    void begin_along(std::optional<answer_along>&& along);
    // Returns true if a request has used the reply in `along`.
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
    std::optional<answer_along> along_;  // set while the event with this reply is being delivered
    pthread_t along_for_{};              // the thread that delivers the event
    std::vector<std::string> given_back_;
};

}  // namespace turnstile::redis
