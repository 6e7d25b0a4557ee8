// SPDX-License-Identifier: Apache-2.0
// A campaign's worker uses the recipes whose callers take part for a long time: elections, jobs and rates. Also acts as
// an operator.
#include <optional>

#include "player.hpp"
#include "turnstile/job_gate.hpp"
#include "turnstile/leader.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/rate_gate.hpp"
#include "turnstile/revocation.hpp"
#include "turnstile/semaphore.hpp"
#include "turnstile/shared_mutex.hpp"

namespace campaign {

using namespace std::chrono_literals;

namespace {

// Leads for one term, and records this in the notes. The last note says that the participant gives up the lead.
void lead(player& me, turnstile::leader_term& term, const std::string& path) {
    const auto mine = std::make_shared<trace>(me.out(), me.out().next_id());
    const auto now = boottime_clock::now();
    me.out().write(now, "granted", mine->id,
                   "role=election want=exclusive until={} tokens={}:{} znode=-",
                   nanoseconds(term.valid_until()), path, term.fencing_token().to_string());
    for (int steps = me.between(1, 20); steps != 0; --steps) {
        const auto at = boottime_clock::now();
        const auto until = term.valid_until();
        if (!term.valid()) {
            me.out().write(at, "invalid", mine->id, "");
            break;
        }
        me.out().write(at, "step", mine->id, "until={}", nanoseconds(until));
        if (term.lost().stop_requested()) break;
        player::work(milliseconds{me.between(1, 20)});
    }
    me.out().write(boottime_clock::now(), "release", mine->id, "");
}

}  // namespace

void play_election(player& me) {
    const std::string path = "/campaign/election";
    // The library calls the function in one thread of the participant, and never twice at the same time.
    player leader{me.out(),   me.servers(), me.others(),
                  me.where(), me.name(),    static_cast<std::uint64_t>(me.between(0, 1 << 30)),
                  me.ending()};
    turnstile::leader seat{me.servers(),
                           path,
                           [&](turnstile::leader_term& term) { lead(leader, term, path); },
                           {.id = me.name()}};
    seat.start();
    while (me.goes_on()) {
        player::work(milliseconds{me.between(50, 500)});
        if (me.chance(0.1)) seat.resign();
        if (seat.leads() && me.chance(0.2)) {
            // If no participant has that name, move_to() does nothing.
            (void)seat.move_to(fmt::format("worker-{}", me.between(1, 10)), 2s, {.timeout = 5s});
        }
        if (me.chance(0.05)) {
            seat.close();
            me.think();
            seat.start();
        }
        if (seat.failure()) seat.start();
    }
    seat.close();
}

namespace {

// A participant's time as the leader, in an election with the protocol `latch`.
struct leadership {
    turnstile::fencing_token token;
    time_point until;
};
std::optional<leadership> look(const turnstile::leader& seat) {
    const auto token = seat.fencing_token();
    const auto until = seat.valid_until();
    if (!seat.leads() || seat.fencing_token() != token) return std::nullopt;
    if (token == turnstile::fencing_token{}) return std::nullopt;
    return leadership{token, until};
}

void lead_for_a_while(player& me, turnstile::leader& seat, const std::string& path) {
    const auto lost = seat.lost();
    const auto now = boottime_clock::now();
    const auto first = look(seat);
    if (!first) return;
    const auto mine = std::make_shared<trace>(me.out(), me.out().next_id());
    me.out().write(now, "granted", mine->id,
                   "role=latch want=exclusive until={} tokens={}:{} znode=-",
                   nanoseconds(first->until), path, first->token.to_string());
    for (int steps = me.between(1, 30); steps != 0 && me.goes_on(); --steps) {
        const auto at = boottime_clock::now();
        const auto seen = look(seat);
        if (!seen || seen->token != first->token) {
            me.out().write(at, "invalid", mine->id, "");
            return;
        }
        me.out().write(at, "step", mine->id, "until={}", nanoseconds(seen->until));
        if (lost.stop_requested()) break;
        player::work(milliseconds{me.between(1, 20)});
    }
    me.out().write(boottime_clock::now(), "release", mine->id, "");
    seat.close();
    me.think();
    seat.start();
}

}  // namespace

void play_latch(player& me) {
    const std::string path = "/campaign/latch";
    turnstile::leader seat{
        me.servers(), path, {.id = me.name(), .protocol = turnstile::election_protocol::latch}};
    seat.start();
    while (me.goes_on()) {
        const auto timeout = me.some_timeout();
        const auto mine = me.begin("role=latch path=" + path + " want=await", timeout);
        const auto leads = seat.await({.timeout = timeout, .stop = me.ending()});
        if (leads) {
            me.out().write(boottime_clock::now(), "awaited", mine->id, "");
            lead_for_a_while(me, seat, path);
        } else {
            me.failed(*mine, leads.error());
            if (leads.error() != turnstile::errc::timeout) seat.start();
            me.think();
        }
    }
    seat.close();
}

void play_job(player& me) {
    const std::string path = "/campaign/job";
    turnstile::job_gate gate{
        me.servers(), path, {.period = 700ms, .at_least_for = 100ms, .at_most_for = 2s}, me.name()};
    for (; me.goes_on(); me.think()) {
        // Without `options.timeout`, run() does not wait for the lock, and each of its phases ends within a session
        // timeout. So for a call without a timeout, the notes state the session timeout as the limit.
        const bool waits = me.chance(0.5);
        const auto timeout = waits ? me.some_timeout() : me.servers().session().timeout;
        const auto mine =
            me.begin("role=job path=" + path + " want=exclusive period=700000000", timeout);
        const auto job = [&](turnstile::job_run& run) {
            me.out().write(boottime_clock::now(), "job", mine->id, "number={}", run.number());
            me.granted(*mine, run.lock(), {path});
            me.critical_section(*mine, run.lock());
            me.out().write(boottime_clock::now(), "release", mine->id, "");
        };
        acquire_options options;
        if (waits) options.timeout = timeout;
        options.stop = me.ending();
        const auto report = gate.run(job, std::move(options));
        me.out().write(boottime_clock::now(), "ran", mine->id, "result={}",
                       report ? std::to_string(static_cast<int>(report->verdict))
                              : outcome_of(report.error()));
    }
}

void play_rate(player& me) {
    const std::string path = "/campaign/rate";
    turnstile::rate_gate gate{me.servers(), path, {.entries = 5, .period = 1s}};
    for (; me.goes_on(); me.think()) {
        const auto timeout = me.some_timeout();
        const auto mine =
            me.begin("role=rate path=" + path + " want=entry limit=5 period=1000000000", timeout);
        acquire_options options;
        options.timeout = timeout;
        options.stop = me.ending();
        const auto entered =
            me.chance(0.3) ? gate.try_enter(std::move(options)) : gate.enter(std::move(options));
        if (entered) {
            me.out().write(boottime_clock::now(), "entry", mine->id, "");
        } else {
            me.failed(*mine, entered.error());
        }
    }
}

namespace {

// Returns all contenders of a path, whatever recipe they use.
result<std::vector<turnstile::contender>> queue_of(player& me, const std::string& path) {
    const turnstile::query_options limits{5s, me.ending()};
    if (path.ends_with("shared")) return turnstile::shared_mutex{me.servers(), path}.queue(limits);
    if (path.ends_with("semaphore")) return turnstile::semaphore{me.servers(), path}.queue(limits);
    return turnstile::mutex{me.servers(), path}.queue(limits);
}

}  // namespace

void play_operator(player& me) {
    const std::vector<std::string> paths{"/campaign/mutex",     "/campaign/retained",
                                         "/campaign/semaphore", "/campaign/shared",
                                         "/campaign/multi-a",   "/campaign/under"};
    while (me.goes_on()) {
        player::work(milliseconds{me.between(300, 1'500)});
        const auto& path = paths[static_cast<std::size_t>(me.between(0, 5))];
        const auto queue = queue_of(me, path);
        if (!queue || queue->empty()) continue;
        const auto last = std::min<int>(1, static_cast<int>(queue->size()) - 1);
        const auto& contender = queue->at(static_cast<std::size_t>(me.between(0, last)));
        const turnstile::revocation orders{me.servers(), path};
        const turnstile::revoke_options why{
            .who = "operator", .why = "campaign", .wait = {}, .stop = me.ending()};
        // The operator calls take_now() only for locks whose holds each have one znode. Otherwise judge.py could not
        // tell which hold ended.
        const bool simple =
            path.ends_with("mutex") || path.ends_with("retained") || path.ends_with("under");
        const int how = me.between(0, simple ? 3 : 2);
        const char* const names[] = {"ask", "ask", "take", "take_now"};
        const auto id = me.out().next_id();
        me.out().write(boottime_clock::now(), "order", id, "what={} znode={}/{}", names[how], path,
                       contender.name);
        std::string outcome = "ok";
        if (how <= 1) {
            if (const auto done = orders.ask(contender, why); !done)
                outcome = outcome_of(done.error());
        } else {
            const auto done =
                how == 2 ? orders.take(contender, why) : orders.take_now(contender, why);
            if (!done) outcome = outcome_of(done.error());
        }
        me.out().write(boottime_clock::now(), "ordered", id, "result={}", outcome);
    }
}

}  // namespace campaign
