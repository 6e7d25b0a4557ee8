// SPDX-License-Identifier: Apache-2.0
// The members of session_link that attach a session to a connection, and its behaviour without a connection.
#include <fmt/core.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "redis/orphan.hpp"
#include "redis/session_link.hpp"

namespace turnstile::redis {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Limits of the time for all requests of one attempt to attach.
constexpr core::duration k_least_patience = 500ms;
constexpr core::duration k_most_patience = 5s;
constexpr int k_most_redirections = 5;

}  // namespace

void session_link::run() {
    own_thread_ = ::pthread_self();
    reader_ = own_thread_.load();
    while (attach()) {
        serve();
        if (stopped()) {
            say_good_bye();
            break;
        }
        if (gone_) {
            end(core::link_kind::expired);
            break;
        }
        detach();
    }
    guarded_.end();
    rest_while_dead();
}

bool session_link::stopped() const noexcept {
    pollfd stop{stop_.fd(), POLLIN, 0};
    return ::poll(&stop, 1, 0) > 0;
}

bool session_link::attach() {
    for (;;) {
        if (stopped()) return false;
        switch (try_to_attach()) {
            case attempt::attached: retries_.reset(); return true;
            case attempt::ended: return false;
            case attempt::failed: break;
        }
        pause(retries_.draw(chance_));
    }
}

session_link::attempt session_link::try_to_attach() {
    const auto patience =
        std::clamp<core::duration>(settings_.timeout / 2, k_least_patience, k_most_patience);
    const auto begin = boottime_clock::now();
    resolving_ = {};
    server_ = {};
    attempt_reasons_.clear();
    // Reads the certificate files again at each attempt, because certificates are renewed.
    auto trusted = make_tls_context(where_.tls);
    if (!trusted) return give_up({.result = welcome::unfit, .reason = trusted.error().message()});
    tls_ = *std::move(trusted);
    sentinel_inquiries sentinels;
    auto found = find_servers(where_, tls_.get(), begin + patience / 2, stop_.fd(),
                              known_->replaced.least_epoch(begin), sentinels);
    resolving_ += found.resolving;
    if (found.result != welcome::ok)
        return give_up({.result = found.result, .reason = std::move(found.reason)});
    // In a cluster, starts with the node at which the tree was last.
    if (tree_at_) std::erase(found.candidates, *tree_at_);
    if (tree_at_) found.candidates.insert(found.candidates.begin(), *tree_at_);
    auto last = attempt::failed;
    auto left = static_cast<int>(found.candidates.size());
    for (const auto& server : found.candidates) {
        const auto now = boottime_clock::now() - resolving_;
        last = try_tree_of(server, now + (begin + patience - now) / left--);
        if (last != attempt::failed) break;
    }
    if (last == attempt::attached && where_.has_sentinels())
        watch_.emplace(where_, tls_.get(), std::move(sentinels), server_, found.epoch,
                       settings_.timeout, told_refusals_);
    return last;
}

// Tries to attach at the server, or at the node of the server's cluster that has the tree. The caller must add the
// resolver's time to `deadline`.
session_link::attempt session_link::try_tree_of(const server_address& server,
                                                core::time_point deadline) {
    auto at = server;
    for (int i = 0; i != k_most_redirections; ++i) {
        redirected_to_.reset();
        const auto how = try_server(at, deadline);
        if (how != attempt::failed || !redirected_to_) return how;
        at = *redirected_to_;
    }
    return failed("the nodes of its cluster do not agree where the tree is");
}

session_link::attempt session_link::try_server(const server_address& server,
                                               core::time_point deadline) {
    server_ = server;
    auto commands = std::make_unique<line>(server, tls_.get(), stop_.fd());
    resolving_ += commands->resolving();
    deadline += resolving_;
    const auto welcomed = greet(*commands, where_, deadline, stop_.fd());
    redirected_to_ = welcomed.moved_to;
    if (redirected_to_) return attempt::failed;
    if (welcomed.result != welcome::ok) return give_up(welcomed);
    const auto promised = promises_of(welcomed.facts, where_.has_sentinels());
    if (const auto lacking = missing(promised, settings_.required); !lacking.empty())
        return give_up({.result = welcome::unfit,
                        .reason = "it does not promise what the client requires; " + lacking});
    // Connects to the same address: the name may resolve to several servers.
    auto wakes =
        std::make_unique<line>(commands->peer().value(), tls_.get(), stop_.fd(), server.host);
    const auto listener = greet_listener(*wakes, where_, deadline, stop_.fd());
    if (listener.result != welcome::ok) return give_up(listener);
    return take_up(std::move(commands), std::move(wakes), welcomed, deadline);
}

// If the server already knows the session, the client subscribes to the session's channel before it attaches. So the
// client misses no event after the attach. A new session has no watches before its attach, so its subscription may come
// later.
session_link::attempt session_link::take_up(std::unique_ptr<line> commands,
                                            std::unique_ptr<line> wakes, const greeting& welcomed,
                                            core::time_point deadline) {
    std::string known;
    {
        const base::lock_guard lock{mutex_};
        known = session_;
    }
    if (!known.empty()) {
        if (const auto how = subscribe(*wakes, known, deadline); how != attempt::attached)
            return how;
    }
    const auto sent = boottime_clock::now();
    const auto reply = ask_to_attach(*commands, welcomed, deadline);
    const auto answered = boottime_clock::now();
    if (!reply) return failed(commands->reason());
    if (reply->type == REDIS_REPLY_ERROR) return give_up(refused_by("the first script", *reply));
    const auto first = parse_head(*reply);
    if (!first) return failed("the answer to the first script makes no sense");
    if (first->code == k_other_layout)
        return give_up(
            {.result = welcome::unfit, .reason = other_layout(prefix_, text_at(*reply, 4))});
    if (first->code != 0) return end(core::link_kind::expired);
    if (!await_replicas(*commands, deadline)) return failed(std::exchange(broken_, {}));
    const std::string session{text_at(*reply, 4)};
    if (known.empty()) {
        if (const auto how = subscribe(*wakes, session, deadline); how != attempt::attached)
            return how;
        seen_zxid_ = first->zxid;
    }
    // The guardian must know the session before the client uses it, so that the guardian can end the session after a
    // crash.
    guarded_.begin(std::stoll(session), proof_of(timeout_text_, password_, identity_));
    if (const int why = watch_for_answers(*commands); why != 0)
        return failed(std::generic_category().message(why));
    {
        const base::lock_guard lock{mutex_};
        session_ = session;
        mark_ = text_at(*reply, 5);
        history_ = text_at(*reply, 6);
        clock_ =
            core::clock_reading_of(std::chrono::microseconds{number_at(*reply, 7)}, sent, answered);
        digests_ = welcomed.digests;
        answers_ = std::move(commands);
        awaiting_.reset();
        commands_ = answers_;
        last_sent_ = boottime_clock::now();
        fetch_by_ = core::time_point::max();
    }
    answered_sent_ = sent;
    wakes_ = std::move(wakes);
    if (welcomed.facts.cluster) tree_at_ = server_;
    settle_first(std::nullopt);
    told_.clear();
    known_->failure.clear();
    tell_attached(*first);
    return attempt::attached;
}

int session_link::watch_for_answers(const line& commands) {
    const base::lock_guard lock{mutex_};
    return turn_.watch(commands.fd()) ? 0 : errno;
}

bool session_link::await_replicas(line& commands, core::time_point deadline) {
    if (replicas_.empty()) return true;
    const auto count = commands.ask({"WAIT", replicas_, patience_}, deadline, stop_.fd());
    if (count) return accept_acknowledgement(*count);
    broken_ = commands.reason();
    return false;
}

owned_reply session_link::ask_to_attach(line& commands, const greeting& welcomed,
                                        core::time_point deadline) {
    std::string session;
    {
        const base::lock_guard lock{mutex_};
        session = session_;
        for (const auto& path : std::exchange(given_back_, {})) watches_.forget_watches(path);
    }
    const auto mark = proof_of(timeout_text_, password_, identity_);
    const auto seen = std::to_string(seen_zxid_);
    const auto changed = std::to_string(changed_zxid_);
    const auto& digest = welcomed.digests.at(static_cast<std::size_t>(script::attach));
    std::vector<std::string_view> words{"EVALSHA", digest,   "2",    znodes_,       deadlines_,
                                        prefix_,   session,  mark,   timeout_text_, identity_,
                                        seen,      history_, changed};
    const auto& list = watches_.list();
    for (const auto& path : list.data) words.insert(words.end(), {"d", path});
    for (const auto& path : list.exists) words.insert(words.end(), {"e", path});
    for (const auto& path : list.children) words.insert(words.end(), {"c", path});
    return commands.ask(words, deadline, stop_.fd());
}

session_link::attempt session_link::subscribe(line& wakes, const std::string& session,
                                              core::time_point deadline) {
    const auto channel = prefix_ + ":" + session;
    const auto reply = wakes.ask({"SUBSCRIBE", channel}, deadline, stop_.fd());
    if (!reply) return failed(wakes.reason());
    if (reply->type == REDIS_REPLY_ERROR) return give_up(refused_by("SUBSCRIBE", *reply));
    return attempt::attached;
}

session_link::attempt session_link::give_up(const greeting& why) {
    switch (why.result) {
        case welcome::credentials:
            log::write(log_level::error, "{}: {}", place(), why.reason);
            note_failure(why.reason, errc::auth_failed);
            settle_first(std::nullopt);
            return end(core::link_kind::auth_failed);
        case welcome::unfit:
        case welcome::too_old: {
            const auto code =
                why.result == welcome::too_old ? errc::server_too_old : errc::not_connected;
            note_failure(why.reason, code);
            // open() throws this error, and the session delivers nothing.
            if (settle_first(error{code, fmt::format("{}: {}", place(), why.reason)}))
                return attempt::ended;
            return failed(why.reason, code);
        }
        case welcome::full: return failed(why.reason, errc::quota_exceeded);
        case welcome::ok:
        case welcome::away: break;
    }
    return failed(why.reason);
}

// Logs the reason once, until the session is attached again.
session_link::attempt session_link::failed(const std::string& reason, errc code) {
    if (!stopped()) note_failure(reason, code);
    settle_first(std::nullopt);
    if (!stopped() && std::exchange(told_, reason) != reason)
        log::write(log_level::warning, "{}: {}", place(), reason);
    return attempt::failed;
}

std::string session_link::place() const {
    const bool is_named = server_.host.empty() || where_.servers == std::vector{server_};
    return to_string(where_) + (is_named ? std::string{} : ": " + to_string(server_));
}

session_link::attempt session_link::end(core::link_kind how) {
    std::deque<pending> left;
    core::link_event event;
    event.kind = how;
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::dead;
        left = std::exchange(pending_, {});
        turn_.forget();
        commands_.reset();
        answers_.reset();
        event.connection = connection_;
        event.session_id = session_.empty() ? 0 : std::stoll(session_);
    }
    guarded_.end();
    wakes_.reset();
    watch_.reset();
    settle_first(std::nullopt);
    for (const auto& entry : left) {
        if (entry.why != purpose::user) continue;
        answer(entry, entry.settled ? core::reply{*entry.settled}
                                    : core::answered(core::server_error::session_expired));
    }
    deliver(std::move(event));
    return attempt::ended;
}

void session_link::tell_attached(const answer_head& first) {
    core::link_event event;
    {
        const base::lock_guard lock{mutex_};
        event.connection = ++connection_;
        event.session_id = std::stoll(session_);
    }
    deliver_settled();  // requests that came without a connection
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::attached;
        leaves_ = false;
        wanted_.reset();
    }
    event.kind = core::link_kind::attached;
    event.timeout = settings_.timeout;
    event.role = core::server_role::standalone;
    event.server = to_string(server_);
    deliver(core::link_event{event});
    if (settings_.detect_role) {
        event.kind = core::link_kind::role_known;
        deliver(std::move(event));
    }
    reap_at_ = boottime_clock::now() + container_interval_;
    take_head(first);
    // The client will read the outcome of the change on this connection. So the change counts as known, with a zxid not
    // after the zxid of the attach.
    if (std::exchange(has_unknown_change_, false))
        changed_zxid_ = std::max(changed_zxid_, first.zxid);
}

void session_link::detach() {
    std::deque<pending> left;
    core::link_event event;
    event.kind = core::link_kind::detached;
    {
        const base::lock_guard lock{mutex_};
        phase_ = phase::detached;
        left = std::exchange(pending_, {});
        turn_.forget();
        commands_.reset();
        answers_.reset();
        event.connection = connection_;
        event.session_id = std::stoll(session_);
    }
    wakes_.reset();
    watch_.reset();
    come_back_ = core::time_point::max();
    log::write(log_level::debug, "{}: {}", place(), broken_);
    broken_.clear();
    deliver(std::move(event));
    watches_.forget_owed();
    for (const auto& entry : left) {
        if (entry.why == purpose::forget) watches_.forget_watches(entry.path);
        if (entry.why != purpose::user) continue;
        const bool unknown = entry.settled ? entry.settled->outcome == core::outcome::unknown
                                           : entry.sent != core::time_point{};
        if (unknown && core::changes_nodes(entry.op)) has_unknown_change_ = true;
        core::reply r;
        r.outcome = core::outcome::unknown;
        answer(entry, entry.settled ? core::reply{*entry.settled} : std::move(r));
    }
}

void session_link::pause(core::duration span) {
    const auto until = boottime_clock::now() + span;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - boottime_clock::now()).count();
        if (left <= 0) return;
        std::array<pollfd, 2> waited{{{wake_.fd(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}}};
        ::poll(waited.data(), waited.size(), static_cast<int>(left));
        if (waited[1].revents != 0) return;
        if (waited[0].revents == 0) continue;
        wake_.clear();
        deliver_settled();
    }
}

void session_link::rest_while_dead() {
    constexpr core::duration k_long = 3600s;
    while (!stopped()) {
        deliver_settled();
        pause(k_long);
    }
}

}  // namespace turnstile::redis
