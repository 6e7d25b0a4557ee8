// SPDX-License-Identifier: Apache-2.0
// The members of session_link that attach a session and detach it.
#include <hiredis/hiredis.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "redis/server_words.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {
namespace {

// The reply of the script that attaches a session (lua/attach.lua).
struct attach_reply {
    std::optional<greeting> refused;  // the reason, unless the session is attached or has expired
    bool expired = false;
    answer_head head;
    std::string session;  // its id in digits
    std::string mark;
    std::string history;  // history of the tree
    std::chrono::microseconds clock{};
};

// The next functions send a request of the attach and await the reply. They return the reason if the server refuses the
// request, otherwise nothing. They give up when `give_up`, a descriptor, becomes readable.
std::optional<greeting> subscribe(line& bells, const std::string& channel,
                                  core::time_point deadline, int give_up) {
    const auto reply = bells.ask({"SUBSCRIBE", channel}, deadline, give_up);
    if (!reply) return greeting{.reason = bells.reason()};
    if (reply->type == REDIS_REPLY_ERROR) return refused_by("SUBSCRIBE", *reply);
    return std::nullopt;
}

std::optional<greeting> await_replicas(line& commands, const replica_wait& replicas,
                                       core::time_point deadline, int give_up) {
    if (!replicas.is_needed()) return std::nullopt;
    const auto count = commands.ask(replicas.command(), deadline, give_up);
    if (!count) return greeting{.reason = commands.reason()};
    if (!replicas.accepts(*count)) return greeting{.reason = replicas.refusal()};
    return std::nullopt;
}

// Waits for the reply to the attach request, which the caller has appended to `commands`. `prefix`: the prefix of the
// tree's keys.
attach_reply await_attach(line& commands, const std::string& prefix, core::time_point deadline,
                          int give_up) {
    attach_reply out;
    const auto reply = commands.await_reply(deadline, give_up);
    if (!reply) {
        out.refused = greeting{.reason = commands.reason()};
        return out;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        out.refused = refused_by("the script that attaches the session", *reply);
        return out;
    }
    auto head = parse_head(*reply);
    if (!head) {
        out.refused =
            greeting{.reason = "the answer to the script that attaches the session is malformed"};
    } else if (head->code == k_other_layout) {
        out.refused =
            greeting{.result = welcome::unfit, .reason = other_layout(prefix, text_at(*reply, 4))};
    } else if (head->code != 0) {
        out.expired = true;
    } else {
        out.head = *std::move(head);
        out.session = text_at(*reply, 4);
        out.mark = text_at(*reply, 5);
        out.history = text_at(*reply, 6);
        out.clock = std::chrono::microseconds{number_at(*reply, 7)};
    }
    return out;
}

}  // namespace

void session_link::run() {
    {
        const base::lock_guard lock{mutex_};
        turn_.begin();
    }
    while (attach()) {
        serve();
        if (signals_.stopped()) {
            say_good_bye();
            break;
        }
        if (lines_.is_ended()) {
            leave(core::link_kind::expired);
            break;
        }
        leave(core::link_kind::detached);
    }
    guarded_.end();
    do deliver_settled();
    while (signals_.await_work(core::time_point::max()));
}

bool session_link::attach() {
    while (!signals_.stopped()) {
        auto how = attach_outcome::failed;
        if (const auto why = connector_.search()) {
            how = refused(*why);
        } else {
            while (how == attach_outcome::failed) {
                auto server = connector_.next();
                if (!server) break;
                how = attach_at(*server);
            }
        }
        if (how != attach_outcome::failed) return how == attach_outcome::attached;
        const auto until = boottime_clock::now() + connector_.pause();
        while (signals_.await_work(until)) deliver_settled();
    }
    return false;
}

// An existing session subscribes to its channel before it attaches, so that it misses no event after the attach. A new
// session has no watches yet, so it may subscribe later.
attach_outcome session_link::attach_at(connected_server& at) {
    if (at.welcomed.result != welcome::ok) return refused(at.welcomed);
    auto& [welcomed, commands, bells, deadline] = at;
    const int stop = signals_.stop_fd();
    std::string prefix;
    std::string known;
    {
        const base::lock_guard lock{mutex_};
        prefix = arguments_.prefix();
        known = arguments_.session();
    }
    const bool is_new = known.empty();
    if (!is_new) {
        if (const auto why = subscribe(*bells, prefix + ":" + known, deadline, stop))
            return refused(*why);
    }
    const auto sent = boottime_clock::now();
    std::string proof;
    {
        const base::lock_guard lock{mutex_};
        proof = arguments_.proof();
        for (const auto& path : requests_.take_given_back()) heard_.forget_watches(path);
        arguments_.greeted(welcomed.digests);
        commands->append(arguments_.words(heard_.attach_call()));
    }
    auto answer = await_attach(*commands, prefix, deadline, stop);
    const auto answered = boottime_clock::now();
    if (answer.refused) return refused(*answer.refused);
    if (answer.expired) {
        leave(core::link_kind::expired);
        return attach_outcome::ended;
    }
    if (const auto why = await_replicas(*commands, lines_.replicas(), deadline, stop))
        return refused(*why);
    if (is_new) {
        if (const auto why = subscribe(*bells, prefix + ":" + answer.session, deadline, stop))
            return refused(*why);
    }
    // The guardian, which ends the session after a crash, must know the session before the client uses it. Otherwise a
    // crash in between would leave the session to its timeout.
    guarded_.begin(std::stoll(answer.session), std::move(proof));
    const std::shared_ptr<line> shared{std::move(commands)};
    int why = 0;
    {
        const base::lock_guard lock{mutex_};
        if (turn_.watch(shared->fd())) {
            arguments_.attached(answer.session, answer.mark,
                                core::clock_reading_of(answer.clock, sent, answered));
            requests_.attach(shared);
        } else {
            why = errno;
        }
    }
    if (why != 0) return refused({.reason = std::generic_category().message(why)});
    lines_.attach(shared, std::move(bells));
    heard_.attached(answer.head.zxid, answer.history, sent, is_new);
    first_.settle(std::nullopt);
    connector_.attached(welcomed.facts);
    tell_attached(std::move(answer.head));
    return attach_outcome::attached;
}

attach_outcome session_link::refused(const greeting& why) {
    auto code = errc::not_connected;
    switch (why.result) {
        case welcome::credentials:
            log::write(log_level::error, "{}: {}", connector_.place(), why.reason);
            connector_.note(why.reason, errc::auth_failed);
            leave(core::link_kind::auth_failed);
            return attach_outcome::ended;
        case welcome::too_old: code = errc::server_too_old; [[fallthrough]];
        case welcome::unfit:
            connector_.note(why.reason, code);
            // If the thread that opens the session still waits, open() throws this error, and the session delivers
            // nothing.
            if (first_.settle(error{code, connector_.place() + ": " + why.reason}))
                return attach_outcome::ended;
            break;
        case welcome::full: code = errc::quota_exceeded; break;
        case welcome::ok:
        case welcome::away: break;
    }
    connector_.report(why.reason, code);
    first_.settle(std::nullopt);
    return attach_outcome::failed;
}

void session_link::tell_attached(answer_head&& first) {
    auto event = connector_.attach_event();
    {
        const base::lock_guard lock{mutex_};
        requests_.begin_connection();
        event.connection = requests_.connection();
        event.session_id = std::stoll(arguments_.session());
    }
    deliver_settled();  // requests that came without a connection
    {
        const base::lock_guard lock{mutex_};
        requests_.open();
        orders_ = {};
    }
    outlet_.deliver(core::link_event{event});
    if (connector_.tells_role()) {
        event.kind = core::link_kind::role_known;
        outlet_.deliver(std::move(event));
    }
    const auto zxid = first.zxid;
    deliver_events(heard_.on_head(std::move(first)), std::nullopt);
    heard_.resolve_lost_change(zxid);
}

void session_link::leave(core::link_kind how) {
    const bool is_end = how != core::link_kind::detached;
    if (!is_end) log::write(log_level::debug, "{}: {}", connector_.place(), lines_.reason());
    std::deque<pending_request> left;
    core::link_event event;
    event.kind = how;
    {
        const base::lock_guard lock{mutex_};
        left = requests_.detach(is_end);
        turn_.forget();
        event.connection = requests_.connection();
        event.session_id = arguments_.session().empty() ? 0 : std::stoll(arguments_.session());
    }
    lines_.detach();
    connector_.detached();
    auto otherwise = core::answered(core::server_error::session_expired);
    if (is_end) {
        guarded_.end();
        first_.settle(std::nullopt);
    } else {
        otherwise = {};
        otherwise.outcome = core::outcome::unknown;
        outlet_.deliver(core::link_event{event});
        heard_.detached(left);
    }
    for (const auto& each : left) {
        if (each.why != purpose::user) continue;
        answer(each.id, each.sent, core::reply{each.settled ? *each.settled : otherwise});
        if (each.list) answer(each.list->id, each.sent, core::reply{otherwise});
    }
    if (is_end) outlet_.deliver(std::move(event));
}

}  // namespace turnstile::redis
