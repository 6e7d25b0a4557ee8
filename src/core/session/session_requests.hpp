// SPDX-License-Identifier: Apache-2.0
// session_requests: sends the requests of a session, alone, shared or in batches, and sends them again after a failure.
// Stores the recipient of each reply, and for how long the connection has not answered.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"
#include "core/session/creation_batch.hpp"
#include "core/session/request_window.hpp"
#include "core/session/retry.hpp"
#include "core/session/routes.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_core_settings.hpp"
#include "core/session/shared_lists.hpp"
#include "core/session/silence_watch.hpp"

namespace turnstile::core {

class session_requests {
public:
    using answered_request = std::map<ticket, reply_route>::node_type;

    explicit session_requests(const session_core_settings& settings);

    // ---- sessions at the servers (epochs), and their connections ----
    void open() { epoch_ = new_epoch_; }
    void leave() noexcept;
    // `retry_after`: the time after which a failed request is sent again.
    void attach(std::uint64_t connection, duration retry_after, session_basics& basics);
    void begin_again();
    void detach() noexcept { connection_.reset(); }
    [[nodiscard]] bool attached() const noexcept { return connection_.has_value(); }

    // ---- single requests ----
    ticket send(operation&& op, addressee&& recipient, session_basics& basics);
    void send_as(ticket id, operation&& op, addressee&& recipient, session_basics& basics);
    [[nodiscard]] bool is_under_way(ticket id) const { return epoch_->pending.contains(id); }
    [[nodiscard]] bool has_room() const noexcept {
        return epoch_ && epoch_->window.has_room(epoch_->creations.size());
    }
    // Returns true if another contender may send requests now: few enough requests are in progress
    // (request_window.hpp). Otherwise returns false, and notes that a contender waits.
    [[nodiscard]] bool wants_room();
    // Removes and returns the request that this reply answers; nothing if the request was sent in an earlier session.
    [[nodiscard]] answered_request answered(const reply& answer, duration timeout, time_point now);

    // ---- lists for several contenders (shared_lists.hpp) ----
    void list_for(const list_sharer& sharer, std::string&& folder, session_basics& basics);
    // `request` was a request for the folder's children. Sends it again for the contenders that asked for the children
    // after `request` was sent. If there is no connection, returns these contenders instead.
    [[nodiscard]] std::vector<list_sharer> list_again(const std::string& folder, ticket request,
                                                      session_basics& basics);

    // ---- creates in one transaction (creation_batch.hpp) ----
    [[nodiscard]] const creation_batch& creations() const noexcept { return epoch_->creations; }
    void gather_creations() noexcept { epoch_->creations.begin(); }
    void create_later(creation&& wanted) { epoch_->creations.add(std::move(wanted)); }
    void send_creations(session_basics& basics);
    void create_alone(const creation& created, session_basics& basics);
    // Sends the creates `rest` again: the servers refused their transaction because of another create in it.
    void create_again(std::vector<creation>&& rest, session_basics& basics);

    // ---- times; each function returns nothing if another event must come first ----
    // Send time of the latest request. If no other request follows, a keep-alive (a read that keeps the session alive)
    // is due some time later. There must be a connection.
    [[nodiscard]] time_point last_sent() const noexcept { return connection_->last_sent; }
    void send_keep_alive(session_basics& basics) { send(exists_op{"/"}, for_keep_alive{}, basics); }
    [[nodiscard]] std::optional<time_point> retry_due() const;
    [[nodiscard]] std::optional<time_point> silence_due(duration timeout) const;

    // ---- retries ----
    void retry_later(time_point now);
    // Calls retry_later() if the answer is of the latest connection. The requests of an earlier connection were sent
    // again when the latest connection began.
    void retry_here(const reply& answer, time_point now);
    void on_throttled(std::uint64_t connection, const std::string& server, session_basics& basics);
    [[nodiscard]] bool is_throttled() const noexcept {
        return connection_ && connection_->retry.is_throttled();
    }
    // Returns true if failed requests must be sent again now. Then the caller sends all of them again.
    [[nodiscard]] bool retries_now(time_point now);

    // ---- a connection that does not answer (silence_watch.hpp) ----
    [[nodiscard]] duration silence_limit(duration timeout) const { return silence_.limit(timeout); }
    void look_elsewhere(session_basics& basics, bool may_move);
    // Called when look_elsewhere() has found another server. Returns true if the session may move there.
    [[nodiscard]] bool may_leave_server(time_point now, duration timeout);
    void leave_server(session_basics& basics);

    friend bool operator==(const session_requests&, const session_requests&) = default;

private:
    struct in_epoch {
        std::uint64_t latest_connection = 0;  // number of the latest connection, even after its end
        std::map<ticket, reply_route> pending;
        request_window window;
        shared_lists lists;
        creation_batch creations;
        bool throttling_told = false;
        friend bool operator==(const in_epoch&, const in_epoch&) = default;
    };
    struct at_server {
        time_point last_sent{};  // send time of the latest request
        duration retry_after{};
        core::retry retry;  // for requests that failed
        friend bool operator==(const at_server&, const at_server&) = default;
    };

    void send_list(ticket id, std::string folder, std::vector<list_sharer>&& sharers,
                   session_basics& basics);
    void create_together(for_creations&& all, session_basics& basics);

    in_epoch new_epoch_;     // open() copies it
    core::retry new_retry_;  // attach() copies it
    std::optional<in_epoch> epoch_;
    std::optional<at_server> connection_;
    silence_watch silence_;
};

}  // namespace turnstile::core
