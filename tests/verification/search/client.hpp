// SPDX-License-Identifier: Apache-2.0
// client: one client process in the search. It consists of the shipped session_core, a connection with its messages,
// and an application that takes and releases the lock. Copies are independent.
//
// A client's time advances only by `timer` (to the core's next deadline) and by `silence` (by a session timeout, so
// that the lease ends).
//
// `inbox_` has the messages to the client, in order: from the servers, and from the client's own handle, which models
// the ZooKeeper client library. `up_` has the core's requests to the servers. If the connection breaks, the client
// drops the servers' messages in `inbox_`, and the writes in `up_` become `late_`: the servers may still execute these
// writes until they execute a write of a new connection.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/session/session_core.hpp"
#include "local/client_watches.hpp"
#include "verification/search/bounds.hpp"
#include "verification/search/names.hpp"
#include "verification/search/servers.hpp"

namespace turnstile::search {

struct sent_request {
    core::ticket id{};
    core::operation op;
    core::time_point sent{};
    bool watch_forgotten = false;
    friend bool operator==(const sent_request&, const sent_request&) = default;
};
using to_server = std::variant<sent_request, local::client_watch_list, forget_watch>;

// A pointer to a core. Copies of a client share one core until one of them makes a step.
class shared_core {
public:
    explicit shared_core(core::session_core&& value);
    [[nodiscard]] const core::session_core& operator*() const noexcept { return *value_; }
    [[nodiscard]] const core::session_core* operator->() const noexcept { return value_.get(); }
    // Replaces the core by a copy on which `call` was called. Returns the copy's actions.
    template <class F>
    std::vector<core::action> step(F&& call) {
        core::session_core copy = *value_;
        call(copy);
        auto actions = copy.take();
        *this = shared_core{std::move(copy)};
        return actions;
    }
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

    friend bool operator==(const shared_core& a, const shared_core& b) {
        return a.value_ == b.value_ || (a.hash_ == b.hash_ && *a.value_ == *b.value_);
    }

private:
    std::shared_ptr<const core::session_core> value_;
    std::uint64_t hash_ = 0;
};

// An answer of the servers that is not delivered yet.
struct answer_on_wire {
    sent_request request;
    core::reply reply;
    friend bool operator==(const answer_on_wire&, const answer_on_wire&) = default;
};
// Messages to the client. A core::reply in this variant comes from the client's own handle (the modelled ZooKeeper
// client library): unknown, not sent, or refused.
using to_client = std::variant<answer_on_wire, core::watch_event, core::reply, core::link_event>;

// Events of a client. Replies and watch events are missing here, because client::on() handles them.
enum class happening {
    acquire,
    release,
    cancel,
    deliver,       // the core gets the oldest message
    timer,         // the core's next deadline arrives
    silence,       // a session timeout passes, which the core notices at its next timer or message
    attach,        // a new connection opens, to the existing session or to a new session
    told_expired,  // the servers report that the session has ended
    sent,          // the oldest message reached the servers and needs no answer
    late_carried_out,   // the servers executed the oldest write of a broken connection
    cut,                // the connection breaks
    closed_by_servers,  // the servers closed the session and its connection
    session_closed,     // the servers closed the oldest session that the client gave up
    crash,
};

enum class stage { resting, waiting, holding, leaving, done };

class client {
public:
    client(unsigned index, const bounds& limits);

    void on(happening happening);
    // Handles the servers' answer to the oldest request.
    void on(const core::reply& answer);
    void on(const core::watch_event& event);

    // ---- questions ----
    [[nodiscard]] stage at() const noexcept { return at_; }
    // Returns true if the client's guard is valid by the client's own clock.
    [[nodiscard]] bool holds() const;
    [[nodiscard]] bool crashed() const noexcept { return crashed_; }
    [[nodiscard]] bool called() const noexcept { return called_; }
    [[nodiscard]] bool attached() const noexcept { return link_ == link::attached; }
    [[nodiscard]] bool may_attach() const noexcept { return link_ == link::open && !told_over_; }
    [[nodiscard]] bool has_handle() const noexcept { return link_ != link::none; }
    [[nodiscard]] session_name session() const noexcept { return session_; }
    [[nodiscard]] session_name next_session() const noexcept {
        return name_session(index_, sessions_ + 1);
    }
    // Returns true if the core's next timer is due, or if the client has no session and waits for its next timer to
    // open one.
    [[nodiscard]] bool timer_due() const;
    [[nodiscard]] bool has_timer() const { return !crashed_ && core_->next_deadline().has_value(); }
    // Returns true if the session's lease has ended, even if the client received all answers that the servers have
    // sent.
    [[nodiscard]] bool lease_over() const;
    // Returns true if the client has made all its calls and no message is in progress.
    [[nodiscard]] bool finished() const;
    [[nodiscard]] const std::deque<to_server>& to_servers() const noexcept { return up_; }
    [[nodiscard]] const std::deque<to_client>& inbox() const noexcept { return inbox_; }
    [[nodiscard]] const std::deque<core::operation>& late() const noexcept { return late_; }
    [[nodiscard]] const std::deque<session_name>& given_up_sessions() const noexcept {
        return given_up_sessions_;
    }
    [[nodiscard]] const core::session_core& core() const noexcept { return *core_; }
    [[nodiscard]] const local::client_watch_list& watches() const { return watches_.list(); }
    // The contender that was granted latest in this round; 0: none.
    [[nodiscard]] contender_number granted() const noexcept { return granted_; }
    // The promise that the client's latest steps broke; empty if none.
    [[nodiscard]] const std::string& breach() const noexcept { return breach_; }
    [[nodiscard]] std::uint64_t hash() const;

    friend bool operator==(const client&, const client&) = default;

private:
    enum class link { none, open, attached };

    template <class F>
    void step(F&& call);
    void execute(core::action&& action);
    void execute(core::submit& submission);
    void execute(const core::forget_watches& forgotten);
    void execute(const core::seek_leader& /*sought*/) {}     // the model has one server
    void execute(const core::look_elsewhere& /*wanted*/) {}  // no answer is late
    void execute(const core::leave_server& /*left*/) {}
    void execute(const core::open_session& opening);
    void execute(const core::close_session& closing);
    void execute(const core::notice& notice);
    void execute(const core::answer&) {}
    void execute(const core::commit_answer&) {}  // clients in the search write no data
    void execute(const core::changed&) {}

    void acquire();
    void deliver();
    void attach();
    void cut();
    void closed_by_servers();
    void touch(core::time_point when);
    void crash();
    void lose_requests(std::vector<sent_request>&& lost);
    void tell_link(core::link_kind kind);
    void tell_held_back();
    [[nodiscard]] core::reply reply_to(const sent_request& question, core::outcome how) const;
    void hear_granted(const core::granted& grant);
    void hear_failed(const core::failed& failure);
    void hear_gone();
    void judge_hold();
    void wrong(const char* text) { breach_ = text; }

    unsigned index_;
    wrong_world wrong_world_;
    unanswered unanswered_;
    shared_core core_;
    core::time_point now_;
    // The servers keep the session for at least a session timeout after this instant of the client's clock. Later they
    // may select the session for expiry. They still answer it until they close it, and perhaps they never close it.
    core::time_point touched_;

    stage at_ = stage::resting;
    unsigned rounds_left_;
    bool called_ = false;
    bool given_up_ = false;
    bool crashed_ = false;
    core::contender_id current_{};
    contender_number granted_ = 0;

    link link_ = link::none;
    std::uint64_t epoch_ = 0;
    std::uint64_t connection_ = 0;
    unsigned sessions_ = 0;
    session_name session_ = 0;
    bool told_over_ = false;
    std::deque<to_server> up_;
    std::deque<to_client> inbox_;
    std::deque<core::operation> late_;
    std::deque<session_name> given_up_sessions_;  // given-up sessions that the servers still have
    // Replies that the client's handle (the modelled ZooKeeper client library) delivers after the next attach.
    std::vector<core::reply> held_back_;
    local::client_watches watches_;
    std::string breach_;
};

}  // namespace turnstile::search
