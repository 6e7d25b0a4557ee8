// SPDX-License-Identifier: Apache-2.0
// session_core: everything that one session of a client knows and decides.
//
// A pure value: `on(input, now)` and `on_time(now)` take events in, `take()` gives actions out. It
// calls nothing outside, is never called back, and has no clock; it can be copied and compared. Over its
// life it goes through several sessions of the servers, one after the other, its epochs.
//
//     core.on(acquire{id, settings, deadline}, now);
//     for (auto& action : core.take()) execute(action);
//     arm_timer(core.next_deadline());
//
// | event            | state becomes           | holds                | waiters                    |
// |------------------|-------------------------|----------------------|----------------------------|
// | attached         | connected               | confirmed at once    | list again                 |
// | detached         | suspended               | told `at_risk`       | keep their place           |
// | lease ran out    | lost                    | lost; znodes removed | keep their place           |
// | expired          | lost, then connecting   | lost                 | enter again in a new epoch |
// | auth_failed      | auth_failed             | lost                 | fail                       |
// | close            | closed                  | lost, znodes removed | fail                       |
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/container/flat_set.hpp>

#include "base/cold.hpp"
#include "base/random.hpp"
#include "core/contender/acquisition.hpp"
#include "core/contender/guarded_write.hpp"
#include "core/contender/notice.hpp"
#include "core/lease/lease.hpp"
#include "core/seam/seam.hpp"
#include "core/session/abandoned_creates.hpp"
#include "core/session/back_off.hpp"
#include "core/session/hold_limits.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/session_messages.hpp"
#include "core/session/session_settings.hpp"
#include "core/session/watch_registry.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile::core {

class prepared_list;

class session_core {
public:
    explicit session_core(session_core_settings settings);

    void on(const input& what, time_point now);
    // Does what is due. To be called at next_deadline() or later; earlier calls do no harm.
    void on_time(time_point now);
    [[nodiscard]] std::optional<time_point> next_deadline() const;
    [[nodiscard]] std::vector<action> take() { return std::exchange(actions_, {}); }
    // Into one that is used again and again, and so has room.
    void take(std::vector<action>& into) {
        into.clear();
        into.swap(actions_);
    }

    [[nodiscard]] session_state state() const noexcept { return state_; }
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    [[nodiscard]] std::int64_t session_id() const noexcept { return session_id_; }
    // An earlier session of this client, whose znodes may still stand: no caller acts by them any more.
    [[nodiscard]] bool has_left(std::int64_t session) const {
        return std::find(left_.begin(), left_.end(), session) != left_.end();
    }
    [[nodiscard]] const core::lease& session_lease() const noexcept { return lease_; }
    [[nodiscard]] server_role role() const noexcept { return role_; }
    [[nodiscard]] const std::string& server() const noexcept { return server_; }
    // As the servers spell the paths.
    [[nodiscard]] std::size_t owned_bytes() const noexcept {
        return owned_bytes_ + acquisitions_.size() * settings_.chroot;
    }
    [[nodiscard]] std::size_t watched_paths() const { return watches_.size(); }
    [[nodiscard]] std::size_t watched_bytes() const noexcept {
        constexpr std::size_t k_length_field = 4;
        return watches_.bytes() + watches_.size() * (settings_.chroot + k_length_field);
    }
    // It may be given another contender, as far as its watches go.
    [[nodiscard]] bool has_room_for_watches() const noexcept {
        return watched_bytes() < settings_.watches.bytes;
    }
    // Nothing of ours is left at the servers, and nobody waits.
    [[nodiscard]] bool idle() const noexcept {
        return acquisitions_.empty() && asked_.empty() && writes_.empty();
    }

    friend bool operator==(const session_core&, const session_core&) = default;

private:
    class context;
    class commit_context;

    static constexpr auto k_no_deadline = time_point::max();
    struct member {
        acquisition value;
        time_point deadline = k_no_deadline;
        base::cold<hold_limits> limited{};
        friend bool operator==(const member&, const member&) = default;
    };
    // Ids grow, and a session has a few thousand at most: cheaper and smaller than a tree.
    using id_set = boost::container::flat_set<acquisition_id>;
    struct inquiry {
        operation op;
        std::optional<time_point> deadline;
        bool under_way = false;
        friend bool operator==(const inquiry&, const inquiry&) = default;
    };
    // Whom a reply is for.
    struct to_acquisition {
        acquisition_id who{};
        friend bool operator==(const to_acquisition&, const to_acquisition&) = default;
    };
    struct to_inquiry {
        acquisition_id who{};
        friend bool operator==(const to_inquiry&, const to_inquiry&) = default;
    };
    struct to_confirmation {
        acquisition_id who{};
        std::string znode;
        friend bool operator==(const to_confirmation&, const to_confirmation&) = default;
    };
    struct to_search {  // for abandoned creates
        std::string folder;
        friend bool operator==(const to_search&, const to_search&) = default;
    };
    struct to_writes {  // the commits of this hold
        acquisition_id hold{};
        friend bool operator==(const to_writes&, const to_writes&) = default;
    };
    struct sharer {  // of a list, who has a ticket of its own for it
        acquisition_id who{};
        ticket id{};
        friend bool operator==(const sharer&, const sharer&) = default;
    };
    struct to_sharers {
        std::string folder;
        std::vector<sharer> all;
        friend bool operator==(const to_sharers&, const to_sharers&) = default;
    };
    struct to_removers {
        std::vector<removal> all;
        friend bool operator==(const to_removers&, const to_removers&) = default;
    };
    struct to_nobody {
        friend bool operator==(const to_nobody&, const to_nobody&) = default;
    };
    struct route {
        std::variant<to_acquisition, to_inquiry, to_confirmation, to_search, to_writes, to_sharers,
                     to_removers, to_nobody>
            to;
        bool write = false;
        friend bool operator==(const route&, const route&) = default;
    };

    // Inputs.
    void handle(const start&);
    void handle(const acquire& what);
    void handle(const leave& what);
    void handle(const cancel& what);
    void handle(const rename& what);
    void handle(const ask& what);
    void handle(const commit& what);
    void handle(const close&);
    void handle(const from_session& what);
    void handle(const open_failed& what);
    void handle(const clock_stepped& what);
    void handle(const session_closed&);
    void handle(const reply& what);
    void handle(const watch_event& what);
    void handle(const link_event& what);

    // Links and epochs (session_links.cpp).
    void open();
    void attach(const link_event& what);
    void detach();
    void end_epoch(const error& why, close_session::how manner);
    void refuse_for_good(const error& why);
    void enter(session_state next, const std::string& reason);

    // The end, and replies (session_core.cpp).
    void finish();
    void deliver(const route& to, const reply& what);
    void answer_inquiry(acquisition_id who, const reply& what);
    void on_confirmed(const to_confirmation& to, const reply& what);
    void on_searched(const to_search& to, const reply& what);

    // Requests (session_core.cpp).
    ticket send(operation&& op, route&& to);
    void send_as(ticket id, operation&& op, route&& to);
    void send_inquiry(acquisition_id who, inquiry& what);
    template <class F>
    void with(acquisition_id who, F&& call, prepared_list* list = nullptr);
    template <class F>
    void with_all(F&& call);
    void keep_sets(acquisition_id who, member& what);
    [[nodiscard]] bool is_to_be_watched(const acquisition& one) const;
    void add_member(acquisition_id who, member&& what);
    void remove_abandoned(const std::string& folder, const std::vector<std::string>& children);

    // Guarded writes (session_commits.cpp).
    struct pending_commit {
        acquisition_id hold{};
        std::optional<time_point> deadline;
        friend bool operator==(const pending_commit&, const pending_commit&) = default;
    };
    template <class F>
    void with_writes(acquisition_id hold, F&& call);
    template <class F>
    void with_all_writes(F&& call);
    void let_commits_proceed(acquisition_id hold);
    void let_hold_proceed(acquisition_id hold);
    void cancel_commit(acquisition_id who, const error& why);
    void told_commit(acquisition_id who, commit_outcome&& what);
    [[nodiscard]] bool leaves_later(const leave& what);
    void lose_commits(acquisition_id hold, const error& why);
    void end_commits(const error& why);

    // Lists that several acquisitions share (session_lists.cpp).
    struct shared_list {
        ticket under_way{};
        std::uint64_t on = 0;      // the connection
        std::vector<sharer> next;  // who came too late for the one under way
        friend bool operator==(const shared_list&, const shared_list&) = default;
    };
    ticket list_for(acquisition_id who, const std::string& folder);
    void send_list(const std::string& folder, std::vector<sharer>&& all);
    void answer_sharers(const std::vector<sharer>& all, const reply& what);
    void on_listed(const to_sharers& to, const reply& what);

    // Removals that go together (session_removals.cpp).
    enum class sending { in_turn, all };
    ticket remove_for(acquisition_id who, const std::string& path,
                      const std::vector<std::string>& watched);
    void give_back(removal& one);
    void send_removals(sending when);
    void remove_together(std::vector<removal>&& all);
    void on_removed(const to_removers& to, const reply& what);
    void remove_one_by_one(const to_removers& to, const reply& what);
    void answer_removers(const to_removers& to, const reply& what);

    // Second looks at what is waited for (session_looks.cpp).
    [[nodiscard]] std::optional<time_point> look_due() const;
    void look_again();
    template <class F>
    void look_at_some(F&& of_these, std::size_t most, acquisition_id& last);

    // Timers (session_timers.cpp).
    void end_lease_if_over();
    void replace_if_broken();
    void abandon_if_refused();
    void expire_deadlines();
    void warn_holders();
    void end_long_holds();
    void end_delays();
    [[nodiscard]] time_point end_of(const member& hold) const;
    void watch_own_znodes(id_set whose);
    void send_confirmation();
    void search();
    void fail_hopeless();
    void warn_of_short_lease();
    void retry_later();
    void retry_if_due();
    void heed_throttling(std::uint64_t connection);
    [[nodiscard]] std::optional<time_point> confirmation_due() const;
    [[nodiscard]] std::optional<time_point> keep_alive_due() const;
    [[nodiscard]] std::optional<time_point> lease_end_due() const;
    [[nodiscard]] std::optional<time_point> break_due() const;
    [[nodiscard]] std::optional<time_point> abandon_due() const;
    [[nodiscard]] std::optional<acquisition_id> next_to_confirm() const;
    [[nodiscard]] std::optional<time_point> search_due() const;
    [[nodiscard]] std::optional<time_point> hopeless_due() const;
    [[nodiscard]] std::string short_lease() const;
    [[nodiscard]] std::optional<time_point> warning_due() const;
    [[nodiscard]] duration confirm_interval() const;
    [[nodiscard]] bool lasts() const;
    [[nodiscard]] duration unseen_for() const;
    [[nodiscard]] error deadline_error(const std::string& what,
                                       std::optional<std::size_t> ahead) const;

    session_core_settings settings_;
    base::random chance_;
    back_off reopening_;
    time_point now_{};

    session_state state_ = session_state::connecting;
    std::uint64_t epoch_ = 0;
    std::int64_t session_id_ = 0;
    std::vector<std::int64_t> left_;  // the latest sessions before this one
    std::uint64_t connection_ = 0;
    bool open_ = false;      // a session object exists in this epoch
    bool attached_ = false;  // to a server with a majority
    bool closing_ = false;
    bool containers_ = true;              // the servers know them
    std::optional<error> refusal_;        // for good: credentials
    std::optional<std::string> replace_;  // the session has to end, and why
    std::optional<error> not_opened_;     // why the latest attempt to open a session failed
    std::optional<time_point> reopen_at_;
    std::optional<time_point> retry_at_;  // requests that came to nothing on a living connection
    back_off throttling_;                 // under way while the server throws requests away
    bool throttled_ = false;              // since the last pause
    bool throttling_told_ = false;        // in this epoch
    server_role role_ = server_role::unknown;
    std::string server_;

    core::lease lease_;
    time_point heard_{};         // send time of the latest answered request, or the attach
    time_point last_sent_{};     // of any request
    time_point last_write_{};    // send time of the latest that committed
    time_point confirm_from_{};  // the interval counts from here
    time_point confirmed_at_{};  // the latest confirmation was sent
    time_point attached_at_{};
    bool short_lease_told_ = false;  // in this epoch
    std::optional<ticket> confirming_now_;
    acquisition_id confirmed_last_{};
    time_point looked_at_{};
    acquisition_id looked_in_line_{};  // the latest one of those
    acquisition_id looked_behind_{};

    std::uint64_t next_ticket_ = 1;
    std::map<ticket, route> pending_;
    std::map<acquisition_id, member> acquisitions_;
    std::map<acquisition_id, inquiry> asked_;
    std::map<acquisition_id, guarded_writes> writes_;  // of holds that have commits under way
    std::optional<acquisition_id> writing_;            // whose commits are being called
    std::map<acquisition_id, pending_commit> commits_;
    std::map<acquisition_id, leave> leaving_;  // holds that are released after their commits
    std::set<std::pair<time_point, acquisition_id>> deadlines_;
    id_set holding_;
    id_set confirming_;
    id_set unwatched_;  // of those, on this connection
    id_set awaiting_lease_;
    id_set warnable_;
    std::set<std::pair<time_point, acquisition_id>> hold_ends_;
    std::set<std::pair<time_point, acquisition_id>> delay_ends_;
    std::size_t owned_bytes_ = 0;
    std::map<std::string, shared_list> lists_;  // under way, by folder
    removal_queue removals_;
    watch_registry watches_;
    std::set<std::string> forget_later_;  // given back while detached
    abandoned_creates abandoned_;         // of this epoch
    std::optional<ticket> searching_;
    std::uint64_t leftovers_ = 0;  // that were found, counted over all epochs
    std::vector<action> actions_;
};

}  // namespace turnstile::core
