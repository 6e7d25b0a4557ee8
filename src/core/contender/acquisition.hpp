// SPDX-License-Identifier: Apache-2.0
// acquisition: one attempt to get and hold a lock, from the call to the last trace of its znode.
//
// A pure value: events in, requests and notices out through a context that is passed in and not
// kept. It has a place and an aim, and `step` asks for whatever is next:
//
// | place  | what is at the servers          | aim hold                      | aim leave             |
// |--------|---------------------------------|-------------------------------|-----------------------|
// | none   | nothing of ours                 | create, and list right behind | over: tell `gone`     |
// | asked  | a create is under way           | wait for its answer           | wait for its answer   |
// | unsure | the answer was lost             | find out, see below           | find out              |
// | mine   | our znode, name and czxid known | list, watch, grant, hold      | remove until it is so |
//
// Time-out, cancel, interrupt, release, loss and close are all "leave" from then on, and the
// acquisition outlives the caller that gave up on it. Each create has a GUID of its own in its name.
//
// Finding out (G8): a write that commits on the new connection keeps a late create of the old one from
// committing any more (the server answers it "session moved"); only then does a list show
// whether a child with our GUID is there; and it is ours only if its owner is this session. What the
// list does not show is given up, and looked for a while longer (abandoned_creates.hpp).
//
// docs/why/mutex.md argues each step. Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cold.hpp"
#include "base/shared_text.hpp"
#include "core/contender/acquisition_context.hpp"
#include "core/contender/awaited_znodes.hpp"
#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/lock_mark.hpp"
#include "core/queue/packed_name.hpp"
#include "core/queue/queue_floor.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/client_options.hpp"

namespace turnstile::core {

enum class attempt : std::uint8_t { wait, once };

struct acquisition_settings {
    base::shared_text folder;  // the lock's path
    base::shared_text data;    // of the contender znode
    attempt mode = attempt::wait;
    on_session_loss waiters = on_session_loss::enter_again;
    claim wants{};
    // Lease: how many permits there must be, and are to be if there is no semaphore yet; none: whatever
    // there are. Compared once: after that the number may have been set anew.
    std::optional<std::int32_t> limit{};
    bool agreed = false;
    // Told once, after the grant, as soon as others queue behind it.
    bool tells_contended = false;
    // To the data " resource=" and the folder are added: the rest of it is the same text for many folders.
    bool data_names_folder = false;
    // Lock, latch: with so many children in the folder, hand-overs go by its floor.
    std::uint32_t long_queue = k_long_queue;
    // Lock: for how long after its holder's crash nobody is granted it; zero, as with all other kinds: none of
    // this. Then neither is a mark written nor one heeded.
    duration lock_delay{};
    friend bool operator==(const acquisition_settings&, const acquisition_settings&) = default;
};

// The bytes that a contender's znode takes in the transaction that would close its session.
[[nodiscard]] std::size_t contender_bytes(const std::string& folder, const claim& wants);
// Why nothing can be written in a folder: an operator's quota; servers whose sessions are local (docs/reference/limits.md).
[[nodiscard]] error quota_exceeded(const std::string& path);
[[nodiscard]] error sessions_are_local(const std::string& path);
// Why an upgrade is refused among equal numbers.
[[nodiscard]] error no_more_upgrades(const std::string& folder);

class acquisition {
public:
    explicit acquisition(acquisition_settings settings) : settings_{std::move(settings)} {}
    // One that nobody waits for: the znode of a create that had been given up. It only leaves.
    [[nodiscard]] static acquisition leftover(const std::string& folder, const std::string& name);

    // ---- events in -----------------------------------------------------------------------
    void start(acquisition_context& c) { step(c); }
    void on_reply(acquisition_context& c, const reply& answer);
    void on_watch(acquisition_context& c, const watch_event& event);
    void on_attached(acquisition_context& c);
    void on_detached(acquisition_context& c);
    // The session is over at the servers, and its znodes with it.
    void on_epoch_end(acquisition_context& c, const error& why);
    // The lease ran out, was confirmed (something may be granted now), or is being confirmed, and somebody may
    // have deleted our znode or written into it: watch it.
    void on_lease_end(acquisition_context& c, const error& why);
    void on_lease_confirmed(acquisition_context& c) { step(c); }
    void watch_own_znode(acquisition_context& c);
    // A check of our znode answered that it is not there, or that somebody has written to it.
    void on_own_znode_gone(acquisition_context& c);
    void on_own_znode_changed(acquisition_context& c);
    // It waits for an event, which may be lost: see whether what it waits for has come to pass.
    void look_again(acquisition_context& c);
    // The time of delay_end() has come.
    void on_delay_end(acquisition_context& c) {
        mark_.change().delay_end.reset();
        step(c);
    }
    // A hold of a read-write lock goes on as one of another kind, in the same place (acquisition_own.cpp).
    void rename(acquisition_context& c, contender_kind kind);
    // Give up: `why` is told to a caller that still waits; a holder asked for it and is told nothing.
    void leave(acquisition_context& c, const error& why);
    // Give up, and tell also a holder: the client closes, the credentials were refused.
    void revoke(acquisition_context& c, const error& why);

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool holds() const noexcept { return granted_ && aim_ == aim::hold; }
    [[nodiscard]] bool waits() const noexcept { return !granted_ && aim_ == aim::hold; }
    [[nodiscard]] bool over() const noexcept { return over_; }
    // Holds, or is about to: its lease must be kept fresh by checks of its znode.
    [[nodiscard]] bool needs_confirmation() const noexcept;
    // Its znode stands in the queue, as far as is known.
    [[nodiscard]] bool stands() const noexcept {
        return place_ == place::mine && aim_ == aim::hold;
    }
    // Our own znode is watched on this connection, or is about to be.
    [[nodiscard]] bool watches_itself(std::uint64_t connection) const noexcept {
        return watching_own_ || own_watched_on_ == connection;
    }
    // Goes on with the event of a watch, and with nothing else.
    [[nodiscard]] bool rests_on_events() const noexcept;
    // The waiters behind this contender go on only after it.
    [[nodiscard]] bool next_in_line() const noexcept { return holds() || ahead_ == 1U; }
    // Nobody is ahead, or a look at the floor is to show it, and only the lease is missing.
    [[nodiscard]] bool awaits_lease() const noexcept;
    // Nobody is ahead, and it waits for so long since the latest holder crashed.
    [[nodiscard]] std::optional<time_point> delay_end() const noexcept {
        return waits() ? mark_->delay_end : std::nullopt;
    }
    // The bytes that its znode takes, or may come to take, in the transaction that would close the
    // session: from the call until nothing is left.
    [[nodiscard]] std::size_t owned_bytes() const;
    [[nodiscard]] std::string znode() const { return folder() + '/' + name_.str(); }
    // Of our znode; another one there means that somebody else has written to it. k_any_version while a
    // commit under this hold leaves it open.
    [[nodiscard]] std::int32_t version() const noexcept { return version_; }
    void version_became(std::int32_t version) noexcept { version_ = version; }
    // Nothing of this acquisition's own is about to change its znode: a commit may.
    [[nodiscard]] bool settled() const noexcept {
        return holds() && place_ == place::mine && !untold_ && !questions_->touching &&
               renamed_->name.empty();
    }
    // Goes on with what waited for the end of a commit.
    void proceed(acquisition_context& c) { step(c); }
    // What a commit found in our znode.
    void heed(acquisition_context& c, const reply& answer) {
        if (place_ == place::mine && aim_ == aim::hold) adopt(c, answer);
    }
    [[nodiscard]] std::optional<std::size_t> ahead() const noexcept { return ahead_; }
    [[nodiscard]] const acquisition_settings& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::string& folder() const noexcept { return settings_.folder.str(); }
    // Of its znode, as it wrote it.
    [[nodiscard]] std::string data() const;

    friend bool operator==(const acquisition&, const acquisition&) = default;

private:
    enum class place : std::uint8_t { none, asked, unsure, mine };
    enum class aim : std::uint8_t { hold, leave };

    void step(acquisition_context& c);
    void step_hold(acquisition_context& c);
    void step_granted(acquisition_context& c);
    void step_renaming(acquisition_context& c);
    void step_leave(acquisition_context& c);
    void fail(acquisition_context& c, const error& why);
    bool answers_something_cold(acquisition_context& c, const reply& answer);

    // Entering the queue.
    void create(acquisition_context& c);
    void forget_list();
    void on_created(acquisition_context& c, const reply& answer);
    void refuse_create(acquisition_context& c, const reply& answer);
    void create_parents(acquisition_context& c);
    void on_parent(acquisition_context& c, const reply& answer);

    // Finding out what became of a create.
    void resolve(acquisition_context& c);
    void on_verified(acquisition_context& c, const reply& answer);
    void look_for_guid(acquisition_context& c, const reply& answer);
    void on_located(acquisition_context& c, const reply& answer);

    // The place in the queue.
    void on_listed(acquisition_context& c, const reply& answer);
    void judge(acquisition_context& c, const std::vector<std::string>& children);
    void judge_kept(acquisition_context& c);
    void take_place(acquisition_context& c, const decision& judged);
    void on_tied(acquisition_context& c, const reply& answer, const std::string& name);
    void list(acquisition_context& c);
    void on_limit(acquisition_context& c, const reply& answer);
    void settle_limit(acquisition_context& c, const std::vector<std::string>& children);
    void wait_for(acquisition_context& c, const decision& judged);
    [[nodiscard]] bool may_watch_each(acquisition_context& c, const decision& judged);
    void probe_awaited(acquisition_context& c);
    void on_probed(acquisition_context& c, awaited_znode& one, const reply& answer);
    void on_awaited(acquisition_context& c, awaited_znode& one, const watch_event& event);
    void on_awaited_gone(acquisition_context& c, const packed_name& gone, std::uint64_t connection);
    [[nodiscard]] bool may_be_handed_over(std::uint64_t connection) const;
    [[nodiscard]] bool is_ordered() const;
    void be_first(acquisition_context& c);
    void grant_if_certain(acquisition_context& c);

    // The hand-over in a long queue (acquisition_floor.cpp).
    [[nodiscard]] bool may_ask_for_the_floor(std::uint64_t connection) const;
    void ask_for_the_floor(acquisition_context& c, const packed_name& gone);
    void on_floor(acquisition_context& c, const reply& answer);
    void heed_folder(const stat& folder);
    [[nodiscard]] bool raises_the_floor() const;

    // The lock delay (acquisition_delay.cpp).
    [[nodiscard]] bool marked(acquisition_context& c);
    void on_mark_read(acquisition_context& c, const reply& answer);
    void heed_mark(acquisition_context& c, const reply& answer);
    enum class mark_state { unread, absent, left, ours };
    void write_mark(acquisition_context& c, const lock_mark& what, mark_state then);
    void on_mark_written(acquisition_context& c, const reply& answer);

    // Our own znode (acquisition_own.cpp).
    void look_at_own_znode(acquisition_context& c);
    [[nodiscard]] bool seen(const acquisition_context& c) const;
    [[nodiscard]] bool is_seen(acquisition_context& c);
    void on_own_watched(acquisition_context& c, const reply& answer);
    void on_own_seen(acquisition_context& c, const reply& answer);
    void adopt(acquisition_context& c, const reply& answer);
    void touch(acquisition_context& c);
    void on_touched(acquisition_context& c, const reply& answer);
    void change_places(acquisition_context& c, const decision& judged);
    void send_rename(acquisition_context& c);
    void on_renamed(acquisition_context& c, const reply& answer);
    void on_fenced(acquisition_context& c, const reply& answer);
    void look_for_new_name(acquisition_context& c, const reply& answer);
    void take_new_name(acquisition_context& c);
    void end_rename(acquisition_context& c, std::optional<error> refused);

    // Those who queue behind it (acquisition_contended.cpp).
    void watch_contenders(acquisition_context& c);
    void on_contenders_listed(acquisition_context& c, const reply& answer);
    void on_contended(acquisition_context& c);
    enum class removed_by { us, others };
    void drop_contenders_watch(acquisition_context& c, removed_by whom);

    // Leaving it.
    [[nodiscard]] operation removal() const;
    [[nodiscard]] bool goes_with_others() const;
    [[nodiscard]] bool may_be_removed(const acquisition_context& c) const;
    void remove_with_others(acquisition_context& c);
    [[nodiscard]] bool takes_its_mark() const;
    // The one in the name of our znode.
    [[nodiscard]] std::string own_guid() const { return std::string{contender_guid(name_.str())}; }
    [[nodiscard]] bool refuses_the_rest(const reply& answer);
    void on_removed(acquisition_context& c, const reply& answer);
    void drop_awaited(acquisition_context& c);
    void drop_own_watch(acquisition_context& c);
    void lose_place(acquisition_context& c);
    // Nothing more can be done on this connection: wait for the next link event.
    void park(acquisition_context& c, const reply& answer);

    // There may be a hundred thousand of these: what is small stands together, what few of them need is `cold`.
    acquisition_settings settings_;
    place place_ = place::none;
    aim aim_ = aim::hold;
    bool granted_ = false;  // told so
    bool told_ = false;     // the caller has its answer
    bool over_ = false;
    bool parked_ = false;
    bool first_ = false;        // nobody is ahead
    bool handed_over_ = false;  // since the one ahead has gone, not by a list that shows our znode
    bool ties_ = false;
    bool waited_ = false;  // somebody was in the way, in this place
    bool own_interest_ = false;
    // A lease that waited: those behind it do not know yet that it is granted.
    bool untold_ = false;
    bool lost_ = false;  // the hold is over, and its holder may still act
    std::uint8_t refused_removals_ = 0;
    std::int32_t version_ = 0;  // of our znode

    // What the last list said, and on which connection.
    std::optional<std::uint32_t> ahead_;
    std::uint32_t listed_ = 0;  // the children in it
    std::int32_t nearest_ = 0;  // the number of the nearest one ahead, that is gone
    std::optional<std::int32_t> folder_version_;  // of its data, while that is empty or a floor
    std::uint64_t listed_on_ = 0;
    std::int64_t pzxid_ = 0;  // the latest change in the folder

    // A create, until it is known what became of it. Also a renaming whose answer was lost is found out here.
    struct attempted {
        std::string guid;
        pending_ticket creating;
        pending_ticket verifying;
        pending_ticket locating;
        std::uint64_t verified_on = 0;  // the connection on which a write committed while unsure
        friend bool operator==(const attempted&, const attempted&) = default;
    };
    base::cold<attempted> attempt_;
    packed_name name_;  // of our znode, while it is mine
    std::int64_t czxid_ = 0;

    // Requests under way; the answer to any other ticket is stale and dropped.
    pending_ticket listing_;
    pending_ticket watching_own_;
    pending_ticket removing_;
    struct questions {
        pending_ticket looking;  // at our own znode, without a watch
        pending_ticket reading_floor;
        pending_ticket touching;
        friend bool operator==(const questions&, const questions&) = default;
    };
    base::cold<questions> questions_;

    struct missing_parents {
        std::vector<ticket> creating;
        int rounds = 0;
        std::optional<error> refusal;
        friend bool operator==(const missing_parents&, const missing_parents&) = default;
    };
    base::cold<missing_parents> parents_;

    // What a list alone does not say: the order of those with equal numbers, and how many permits there are.
    struct beside_the_list {
        std::vector<std::string> children;  // while the list does not suffice to decide
        std::map<ticket, std::string> asking_czxid;
        std::map<std::string, std::int64_t> czxids;
        pending_ticket reading_limit;
        std::optional<permit_limit> limit;  // as read after the list
        std::int64_t list_mzxid = 0;        // of the folder's data: when it was listed,
        std::int64_t limit_mzxid = 0;       // and when the limit was read
        std::int32_t limit_version = 0;
        bool by_children = false;       // lists with a watch, and watches none of those ahead
        std::uint64_t children_on = 0;  // where that is set, and has not fired
        std::optional<std::int64_t> settled_mzxid;  // of a limit that it tried to settle
        pending_ticket settling;
        friend bool operator==(const beside_the_list&, const beside_the_list&) = default;
    };
    base::cold<beside_the_list> beside_;
    awaited_znodes awaited_;
    std::uint64_t own_watched_on_ = 0;  // 0: not watched
    time_point seen_at_{};  // nothing was written into our znode before that we do not know

    // What is known of the mark that is left behind by a holder's crash.
    struct crash_mark {
        std::int64_t own_ctime =
            0;  // when our znode was made, in ms since 1970, by the leader's clock
        mark_state state = mark_state::unread;
        mark_state written = mark_state::unread;  // what it will be if the write succeeds
        lock_mark left;                           // the one that was left
        std::int32_t left_version = 0;            // of its znode
        std::optional<time_point> delay_end;
        pending_ticket reading;
        pending_ticket writing;
        friend bool operator==(const crash_mark&, const crash_mark&) = default;
    };
    base::cold<crash_mark> mark_;

    struct contenders_watch {
        pending_ticket listing;
        std::uint64_t on = 0;   // the connection; 0: not watched
        bool interest = false;  // in the folder
        bool told = false;
        friend bool operator==(const contenders_watch&, const contenders_watch&) = default;
    };
    struct of_a_hold {
        fencing_token token;                    // of one that may be renamed
        std::optional<asked_to_release> asked;  // to be told with the grant
        contenders_watch behind;
        friend bool operator==(const of_a_hold&, const of_a_hold&) = default;
    };
    base::cold<of_a_hold> hold_;

    struct new_name {  // while it is renamed
        std::string name;
        pending_ticket renaming;
        bool unsure = false;  // the answer was lost
        friend bool operator==(const new_name&, const new_name&) = default;
    };
    base::cold<new_name> renamed_;
};

}  // namespace turnstile::core
