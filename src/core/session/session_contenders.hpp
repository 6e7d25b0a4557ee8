// SPDX-License-Identifier: Apache-2.0
// session_contenders: all contenders of a session, and the contenders that wait for room in the request window after a
// reconnect. It also has three kinds of times: the ends of holds' time limits; the second looks, at which waiters read
// again in case an event was lost; and the confirmations, the writes that extend the lease.
//
//     second_looks   chooses the contenders that read again, because the event of a watch may be lost
//     hold_clock     the ends of time limits and of lock delays
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/confirmations.hpp"
#include "core/session/contender_table.hpp"
#include "core/session/session_basics.hpp"

namespace turnstile::core {

// second_looks: chooses the contenders that read again, although they have a watch, because the watch's event may be
// lost (a *second look*, contender_looks.cpp). A few contenders read again in each confirmation interval, the time
// between two writes that extend the lease. They take turns.
//
// Holds and contenders next in line come first, since all contenders behind depend on them. But a contender further
// back that missed an event also blocks the contenders behind it. Only a few contenders read at a time: if all of
// them did, the reads would cost as much as watches save. With the default session timeout of 30 s, up to 64 contenders
// next in line each read every 6 s, and 1,000 waiters further back each read within 6.5 minutes.
class second_looks {
public:
    // Called when a connection has begun, or when the session gets its first contender: the interval until the next
    // repeated reads (second looks) starts at `now`.
    void begin(time_point now) { looked_at_ = now; }
    [[nodiscard]] time_point due(duration interval) const { return looked_at_ + interval; }
    // Both functions return contenders that must now read their predecessor's znode again. take_in_line() returns
    // contenders that are next in line for their locks, and take_further_back() contenders further back in the queues.
    [[nodiscard]] std::vector<contender_id> take_in_line(const contender_table& contenders);
    [[nodiscard]] std::vector<contender_id> take_further_back(const contender_table& contenders);

    friend bool operator==(const second_looks&, const second_looks&) = default;

private:
    [[nodiscard]] static std::vector<contender_id> take(const contender_table& contenders,
                                                        bool in_line, std::size_t most,
                                                        contender_id& latest);

    time_point looked_at_{};
    contender_id latest_in_line_{};
    contender_id latest_further_back_{};
};

// hold_clock: stores, for each contender, the end of its hold's time limit, the time of the warning before the end of
// its hold, and the end of the lock delay, for which the contender waits after a holder's crash. Most contenders have
// none of these times.
class hold_clock {
public:
    // `warn_before`: zero for no warning; `max_hold`: zero for no limit.
    void add(contender_id id, duration warn_before, duration max_hold);
    // Returns the end of a hold that is granted now; nothing if the hold has no limit.
    [[nodiscard]] std::optional<time_point> granted(contender_id id, time_point now);
    // Called when the contender has changed. `delay_end`: the end of the lock delay for which the contender waits.
    void update(contender_id id, bool holds, std::optional<time_point> delay_end);
    void forget(contender_id id);

    [[nodiscard]] std::optional<time_point> next_end() const { return ends_.next(); }
    [[nodiscard]] std::optional<time_point> next_delay_end() const { return delay_ends_.next(); }
    [[nodiscard]] std::optional<time_point> next_warning(time_point lease_end) const;

    [[nodiscard]] std::optional<contender_id> take_ended(time_point now) {
        return ends_.take_due(now);
    }
    // Returns a contender whose lock delay has ended. Later calls return the same contender until `update` is called
    // for it.
    [[nodiscard]] std::optional<contender_id> delay_over(time_point now) const {
        return delay_ends_.due(now);
    }
    [[nodiscard]] std::vector<contender_id> take_warnings(time_point now, time_point lease_end);

    friend bool operator==(const hold_clock&, const hold_clock&) = default;

private:
    struct limits {
        duration warn_before{};
        duration max_hold{};
        std::optional<time_point> hold_end{};
        std::optional<time_point> delay_end{};
        bool warned = false;
        friend bool operator==(const limits&, const limits&) = default;
    };
    [[nodiscard]] static time_point warning_time(const limits& hold, time_point lease_end);

    std::map<contender_id, limits> limits_;  // only contenders that have a limit or a warning
    timetable<contender_id> ends_;
    timetable<contender_id> delay_ends_;
    id_set warned_ahead_;  // holds that want a warning before their end
};

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

    // ---- ends of time limits and of lock delays (hold_clock) --------
    [[nodiscard]] const hold_clock& clock() const noexcept { return clock_; }
    [[nodiscard]] std::optional<time_point> granted(contender_id id, time_point now) {
        return clock_.granted(id, now);
    }
    [[nodiscard]] std::optional<contender_id> take_ended(time_point now) {
        return clock_.take_ended(now);
    }
    void warn_holders(time_point lease_end, session_basics& basics);

    // ---- repeated reads, in case a watch event was lost (second_looks) --------
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
