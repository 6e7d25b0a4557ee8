// SPDX-License-Identifier: Apache-2.0
// client: one client process in the search: the shipped session_core, the connection around it, what
// is on its way on that connection, and an application that takes the lock and gives it back. A value.
//
// There is no clock. A client's own time stands still until one of these moves it: `timer` (to the
// core's next deadline) and `silence` (by a whole session time-out, so that its lease is over).
//
// What the servers send arrives in one queue, in order, mixed with what the handle itself has to say
// (detached, unknown); what the core asks leaves in another. A cut drops the first; the writes of the
// second may still be carried out, until a write of a new connection was (`late`).
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

// A core that copies of a client share until one of them steps.
class shared_core {
public:
    explicit shared_core(core::session_core&& value);
    [[nodiscard]] const core::session_core& operator*() const noexcept { return *value_; }
    [[nodiscard]] const core::session_core* operator->() const noexcept { return value_.get(); }
    // Replaces it by a copy to which `call` was done; returns the actions.
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

// The servers' answer to a request, still on the wire.
struct answer_on_wire {
    sent_request request;
    core::reply reply;
    friend bool operator==(const answer_on_wire&, const answer_on_wire&) = default;
};
// A reply here is the handle's own: unknown, not sent, or refused without asking.
using to_client = std::variant<answer_on_wire, core::watch_event, core::reply, core::link_event>;

// What can happen to a client by itself. What servers send comes as a reply or a watch event.
enum class happening {
    acquire,
    release,
    cancel,
    deliver,       // the oldest message reaches the core
    timer,         // the core's next deadline
    silence,       // a session time-out passes; what hears of it first, timer or message, is open
    attach,        // a connection is there, to the session that it has or to a new one
    told_expired,  // the servers say that the session is over
    sent,          // the oldest message reached the servers and has no answer
    late_carried_out,   // so did the oldest of a broken connection
    cut,                // the connection breaks
    closed_by_servers,  // the session was closed, its connection after what was sent
    session_closed,     // and so was the oldest that it had given up
    crash,
};

enum class stage { resting, waiting, holding, leaving, done };

class client {
public:
    client(unsigned index, const bounds& limits);

    void on(happening happening);
    // The servers' answer to the oldest message.
    void on(const core::reply& answer);
    void on(const core::watch_event& event);

    // ---- questions ----
    [[nodiscard]] stage at() const noexcept { return at_; }
    // Its guard is valid, by its own clock.
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
    // Its next timer is due without any time passing, or opens the next session.
    [[nodiscard]] bool timer_due() const;
    [[nodiscard]] bool has_timer() const { return !crashed_ && core_->next_deadline().has_value(); }
    // The session's lease is over by the rule that the core goes by, whatever answers it has not seen.
    [[nodiscard]] bool lease_over() const;
    // It is done, and nothing of it is under way.
    [[nodiscard]] bool finished() const;
    [[nodiscard]] const std::deque<to_server>& to_servers() const noexcept { return up_; }
    [[nodiscard]] const std::deque<to_client>& inbox() const noexcept { return inbox_; }
    [[nodiscard]] const std::deque<core::operation>& late() const noexcept { return late_; }
    [[nodiscard]] const std::deque<session_name>& given_up_sessions() const noexcept {
        return given_up_sessions_;
    }
    [[nodiscard]] const core::session_core& core() const noexcept { return *core_; }
    [[nodiscard]] const local::client_watch_list& watches() const { return watches_.list(); }
    // The contender that the latest grant of this round rests on; 0: none.
    [[nodiscard]] contender_number granted() const noexcept { return granted_; }
    // A promise that was broken by what led here; else empty.
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
    void execute(const core::seek_leader& /*sought*/) {}     // there is one server
    void execute(const core::look_elsewhere& /*wanted*/) {}  // no answer is late
    void execute(const core::leave_server& /*left*/) {}
    void execute(const core::open_session& opening);
    void execute(const core::close_session& closing);
    void execute(const core::notice& notice);
    void execute(const core::answer&) {}
    void execute(const core::commit_answer&) {}  // its clients write nothing
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
    // Until when the servers must keep the session: a time-out after this, by this client's clock. From
    // then on it may be doomed, and is answered as ever until it is closed, if it ever is.
    core::time_point touched_;

    stage at_ = stage::resting;
    unsigned rounds_left_;
    bool called_ = false;
    bool given_up_ = false;
    bool crashed_ = false;
    core::acquisition_id current_{};
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
    std::deque<session_name> given_up_sessions_;  // that live on at the servers
    std::vector<core::reply> held_back_;          // told after the next attach
    local::client_watches watches_;
    std::string breach_;
};

}  // namespace turnstile::search
