// SPDX-License-Identifier: Apache-2.0
// session_contenders: all contenders of a session, and the contenders that wait for room in the request window after a
// reconnect. It also has three kinds of times: the ends of holds' time limits; the second looks, at which waiters read
// again in case an event was lost; and the confirmations, the writes that extend the lease.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/confirmations.hpp"
#include "core/session/contender_table.hpp"
#include "core/session/hold_clock.hpp"
#include "core/session/second_looks.hpp"
#include "core/session/session_basics.hpp"

namespace turnstile::core {

// First id of the contenders that the session itself adds, to remove znodes of creates whose answer was lost
// (abandoned_creates.hpp). These contenders have no callers, so their notices are dropped.
inline constexpr std::uint64_t k_first_leftover = std::uint64_t{1} << 63U;

class session_contenders {
public:
    explicit session_contenders(std::size_t watched_in_line) : table_{watched_in_line} {}

    // ---- the contenders ----
    [[nodiscard]] const contender_table& table() const noexcept { return table_; }
    // Returns the contender, so that it can handle an event. The caller must call update() after the event.
    [[nodiscard]] contender_entry* find(contender_id id) { return table_.find(id); }
    void add(const acquire& request, session_basics& basics);
    [[nodiscard]] contender_id add_leftover(const std::string& folder, const std::string& name,
                                            time_point now);
    // Called after a contender has handled an event. The contender was of kind `kind_before` before. Returns true if
    // guarded writes (commits) may change the contender's znode now.
    [[nodiscard]] bool update(contender_id id, const contender_entry& changed,
                              claim_kind kind_before, std::uint64_t connection,
                              session_basics& basics);
    // True if the end of the session would delete a contender's znode, or would make a contender fail.
    [[nodiscard]] bool have_stakes() const;
    // containers_unsupported: the servers have no container znodes. parent_create_lost: a connection ended before the
    // create of a container was answered, perhaps because the server does not know containers.
    void containers_unsupported() noexcept { containers_refused_ = true; }
    void parent_create_lost() noexcept { containers_doubted_ = true; }
    // Returns the kind of znode to create for a lock's folder: containers, unless the servers do not support them.
    [[nodiscard]] create_mode parent_mode(bool zookeeper) const noexcept {
        const bool refused = containers_refused_ || (containers_doubted_ && !zookeeper);
        return refused ? create_mode::persistent : create_mode::container;
    }
    // Returns true if the session should warn that the folder has several kinds of locks: once for each folder, up to a
    // limit.
    [[nodiscard]] bool is_first_mixed(const std::string& folder);

    // ---- sessions at the servers (epochs), and their connections ----
    void leave();
    void attach(time_point now, duration confirm_interval);
    void detach() noexcept { connection_.reset(); }
    // Notes that the contender must wait before it continues, because too many requests are in progress
    // (request_window.hpp).
    void stay_behind(contender_id id) { keep(connection_->behind, id, true); }
    [[nodiscard]] bool some_are_behind() const noexcept {
        return connection_ && !connection_->behind.empty();
    }
    [[nodiscard]] contender_id take_behind();
    // True if it is this contender's turn to enter its queue: no contender waits because of too many requests in
    // progress, and no older contender waits to enter (contender_core::waits_to_enter).
    [[nodiscard]] bool is_next(contender_id id) const {
        const auto& outside = table_.outside();
        return connection_->behind.empty() && (outside.empty() || id <= *outside.begin());
    }

    // ---- ends of time limits and of lock delays (hold_clock.hpp) ----
    [[nodiscard]] const hold_clock& clock() const noexcept { return clock_; }
    [[nodiscard]] std::optional<time_point> granted(contender_id id, time_point now) {
        return clock_.granted(id, now);
    }
    [[nodiscard]] std::optional<contender_id> take_ended(time_point now) {
        return clock_.take_ended(now);
    }
    void warn_holders(time_point lease_end, session_basics& basics);

    // ---- repeated reads, in case a watch event was lost (second_looks.hpp) ----
    [[nodiscard]] time_point look_due(duration interval) const { return looks_.due(interval); }
    void begin_looks(time_point now) { looks_.begin(now); }
    [[nodiscard]] std::vector<contender_id> take_in_line() { return looks_.take_in_line(table_); }
    [[nodiscard]] std::vector<contender_id> take_further_back() {
        return looks_.take_further_back(table_);
    }

    // ---- confirmations: writes that extend the lease (confirmations.hpp) ----
    [[nodiscard]] std::optional<time_point> confirmation_due(const confirmation_pace& pace,
                                                             const lease& session,
                                                             time_point last_write,
                                                             time_point now) const;
    // Called when a confirmation, a write that extends the lease, is due. Returns the contender whose znode the
    // confirmation must check; nothing if no contender has a znode.
    [[nodiscard]] std::optional<contender_id> begin_confirmation(time_point now);
    void confirmation_sent(ticket request) { connection_->confirmations.sent(request); }
    void confirmation_answered(ticket request) {
        if (connection_) connection_->confirmations.answered(request);
    }
    [[nodiscard]] std::optional<ticket> confirmation() const {
        return connection_ ? connection_->confirmations.request() : std::nullopt;
    }
    void confirmation_lost(time_point now, duration interval) {
        connection_->confirmations.lost(now, interval);
    }

    friend bool operator==(const session_contenders&, const session_contenders&) = default;

private:
    struct at_server {
        core::confirmations confirmations;  // when to send the next write that extends the lease
        id_set behind{};                    // contenders that wait for room before they continue
        friend bool operator==(const at_server&, const at_server&) = default;
    };

    void add(contender_id id, contender_entry&& added, time_point now);

    contender_table table_;
    hold_clock clock_;
    second_looks looks_;
    std::optional<at_server> connection_;
    contender_id latest_confirmed_{};  // whose znode was checked last in this session
    std::uint64_t leftovers_ = 0;      // number of znodes of abandoned creates that were found
    std::vector<std::string> mixed_folders_;
    bool containers_refused_ = false;
    bool containers_doubted_ = false;
};

}  // namespace turnstile::core
