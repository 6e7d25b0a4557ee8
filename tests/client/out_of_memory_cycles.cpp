// SPDX-License-Identifier: Apache-2.0
// Each recipe has a cycle: a sequence of the calls that its users make, from the start to the release. A cycle checks
// each call that returns. A std::bad_alloc ends the cycle.
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "out_of_memory.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;

scene::scene(place at) : patience{limit()}, where{std::move(at)} {
    const auto connect = [this](const std::string& to) {
        auto connected = std::make_unique<client>(
            to, client_options{.close_timeout = std::chrono::milliseconds{patience}});
        connected->wait_connected(boottime_clock::now() + patience).value();
        return connected;
    };
    servers = connect(where.servers);
    others = connect(where.servers);
    for (const auto* ensemble : {"local:a", "local:b", "local:c"})
        ensembles.push_back(connect(ensemble));
}

void scene::break_links() const {
    constexpr int k_descriptors = 256;
    for (int each = 0; each != k_descriptors; ++each) {
        sockaddr_storage own{};
        socklen_t length = sizeof own;
        if (::getsockname(each, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
            own.ss_family == AF_INET)
            ::shutdown(each, SHUT_RDWR);
    }
}

guard scene::granted(answer& call) const {
    demand(call.told.wait(), "no handler was called");
    demand(call.granted, "an asynchronous call was refused");
    return std::move(call.hold);
}

void scene::end() {
    servers->close();
    others->close();
    for (const auto& each : ensembles) each->close();
    for (const auto& each : answers_) {
        demand(!each.thrown || each.handled == 0, "a call threw, and called its handler");
        demand(each.handled <= 1, "a handler was called twice");
    }
}

namespace {

guard taken(result<guard>&& outcome) {
    if (!outcome) demand(false, outcome.error().message().c_str());
    return std::move(*outcome);
}

template <class T>
void good(const result<T>& outcome) {
    if (!outcome) demand(false, outcome.error().message().c_str());
}

void mutex_acquire(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    auto hold = taken(lock.acquire({.timeout = s.patience}));
    demand(hold.valid(), "a hold that is not valid");
    good(hold.release());
}

void mutex_try(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    auto hold = taken(lock.try_acquire());
    mutex rival{*s.others, s.at("/lock")};
    demand(rival.try_acquire().error() == errc::busy, "a lock that is held and not busy");
    hold.unlock();
    good(taken(rival.acquire({.timeout = s.patience})).release());
}

void mutex_timed(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    mutex rival{*s.others, s.at("/lock")};
    const auto hold = taken(lock.acquire({.timeout = s.patience}));
    demand(rival.acquire({.timeout = 1ms}).error() == errc::timeout, "no timeout");
}

void mutex_async(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    mutex rival{*s.others, s.at("/lock")};
    auto hold = taken(lock.acquire({.timeout = s.patience}));
    auto& queued = s.new_event();
    auto& call = s.start(rival, {.timeout = s.patience,
                                 .on_entered = [](const std::string&) {},
                                 .on_queued = [&](std::size_t) { queued.set(); }});
    demand(queued.wait(), "on_queued was not called");
    hold.unlock();
    s.granted(call).unlock();
}

void mutex_stopped(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    mutex rival{*s.others, s.at("/lock")};
    const auto hold = taken(lock.acquire({.timeout = s.patience}));
    std::stop_source stop;
    auto& call = s.start(rival, {.timeout = s.patience, .stop = stop.get_token()});
    stop.request_stop();
    demand(call.told.wait(), "no handler was called");
    demand(call.why == errc::cancelled, "a wait that was stopped, and not cancelled");
}

void mutex_queries(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    const auto hold = taken(lock.acquire({.timeout = s.patience}));
    demand(lock.queue().value().size() == 1, "a queue without its holder");
    demand(lock.position(hold).value() == 0, "a holder that is not first");
    demand(hold.fencing_tokens().size() == 1, "a hold without a token");
}

void recursive(scene& s) {
    recursive_mutex lock{*s.servers, s.at("/lock")};
    auto outer = taken(lock.acquire({.timeout = s.patience}));
    auto inner = taken(lock.acquire({.timeout = s.patience}));
    good(inner.release());
    good(outer.release());
    demand(lock.count() == 0, "a share is left");
}

void standard_forms(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    const std::lock_guard hold{lock};
}

void shared(scene& s) {
    shared_mutex lock{*s.servers, s.at("/shared")};
    auto first = taken(lock.acquire_shared({.timeout = s.patience}));
    auto second = taken(lock.try_acquire_shared());
    demand(lock.try_acquire().error() == errc::busy, "a writer beside readers");
    first.unlock();
    second.unlock();
    good(taken(lock.acquire({.timeout = s.patience})).release());
}

void upgrade(scene& s) {
    shared_mutex lock{*s.servers, s.at("/shared")};
    auto hold = taken(lock.acquire_upgrade({.timeout = s.patience}));
    good(lock.upgrade(hold, {.timeout = s.patience}));
    good(lock.downgrade_to_shared(hold));
    good(hold.release());
}

void permits(scene& s) {
    semaphore lock{*s.servers, s.at("/semaphore"), 3};
    auto two = taken(lock.acquire(2, {.timeout = s.patience}));
    auto single = taken(lock.try_acquire());
    demand(lock.try_acquire().error() == errc::busy, "a permit too much");
    two.unlock();
    good(single.release());
}

void permit_limit(scene& s) {
    semaphore lock{*s.servers, s.at("/limit")};
    good(lock.set_limit(2));
    demand(lock.limit().value() == 2, "another limit than was set");
}

void several(scene& s) {
    mutex first{*s.servers, s.at("/a")};
    mutex second{*s.servers, s.at("/b")};
    multi_lock all{first, second};
    good(taken(all.acquire({.timeout = s.patience})).release());
    taken(all.try_acquire()).unlock();
}

void several_async(scene& s) {
    mutex first{*s.servers, s.at("/a")};
    mutex second{*s.servers, s.at("/b")};
    multi_lock all{first, second};
    s.granted(s.start(all, {.timeout = s.patience})).unlock();
}

std::vector<quorum_member> members(const scene& s) {
    return {quorum_member{*s.ensembles[0]}, quorum_member{*s.ensembles[1]},
            quorum_member{*s.ensembles[2]}};
}

void quorum(scene& s) {
    quorum_lock lock{members(s), s.at("/quorum")};
    good(taken(lock.acquire({.timeout = s.patience})).release());
}

void quorum_async(scene& s) {
    quorum_lock lock{members(s), s.at("/quorum")};
    s.granted(s.start(lock, {.timeout = s.patience})).unlock();
}

void latch(scene& s) {
    leader seat{*s.servers, s.at("/seat"), {.id = "one", .protocol = election_protocol::latch}};
    const auto listening = seat.on_change([](bool) {});
    seat.start();
    good(seat.await({.timeout = s.patience}));
    demand(!seat.lost().stop_requested(), "a leader whose term has ended");
    seat.close();
}

void election(scene& s) {
    auto& led = s.new_event();
    leader seat{*s.servers, s.at("/elected"), [&](leader_term&) { led.set(); }, {.id = "one"}};
    seat.start();
    demand(led.wait(), "the function was not called");
    seat.close();
}

void commits(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    auto hold = taken(lock.acquire({.timeout = s.patience}));
    good(hold.commit(transaction{}.put(s.at("/written"), "")));
    auto& done = s.new_event();
    hold.async_commit(transaction{}.remove(s.at("/written")), {},
                      [&](const result<commit_result>& out) {
                          demand(static_cast<bool>(out), "a commit was refused");
                          done.set();
                      });
    demand(done.wait(), "a commit without an outcome");
}

void retained(scene& s) {
    mutex lock{*s.servers, s.at("/retained"), {.retain_for = 1min}};
    taken(lock.acquire({.timeout = s.patience})).unlock();
    taken(lock.acquire({.timeout = s.patience})).unlock();
    mutex rival{*s.others, s.at("/retained"), {.retain_for = 1min}};
    taken(rival.acquire({.timeout = s.patience})).unlock();
}

void cohort(scene& s) {
    mutex lock{*s.servers, s.at("/cohort"), {.cohort = 4}};
    auto hold = taken(lock.acquire({.timeout = s.patience}));
    auto& next = s.start(lock, {.timeout = s.patience, .on_queued = [](std::size_t) {}});
    hold.unlock();
    s.granted(next).unlock();
}

void revoked(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    mutex next{*s.others, s.at("/lock")};
    const revocation orders{*s.others, s.at("/lock")};
    const auto hold = taken(lock.acquire({.timeout = s.patience}));
    const auto holder = lock.holder().value().value();
    auto& call = s.start(next, {.timeout = s.patience});
    good(orders.ask(holder, {.who = "ops", .why = "a test"}));
    good(orders.take_now(holder, {.who = "ops", .why = "a test"}));
    s.granted(call).unlock();
}

void session_lost(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    auto& lost = s.new_event();
    const auto hold =
        taken(lock.acquire({.timeout = s.patience, .on_lost = [&](const error&) { lost.set(); }}));
    auto& told = s.new_event();
    const std::stop_callback on_loss{hold.lost(), [&] { told.set(); }};
    s.where.end_session(*s.servers);
    demand(lost.wait(), "on_lost was not called");
    demand(told.wait(), "lost() was not triggered");
    taken(lock.acquire({.timeout = s.patience})).unlock();
}

void link_broken(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    auto hold = taken(lock.acquire({.timeout = s.patience}));
    s.break_links();
    good(hold.commit(transaction{}.put(s.at("/written"), "")));
    demand(hold.valid(), "a hold that a broken link ended");
    good(hold.release());
    taken(lock.acquire({.timeout = s.patience})).unlock();
}

void deadlock_detected(scene& s) {
    mutex lock{*s.servers, s.at("/lock")};
    const deadlock_detector looks{*s.servers, {s.at("/lock")}};
    good(taken(looks.acquire(lock, {.timeout = s.patience})).release());
}

void gates(scene& s) {
    job_gate jobs{*s.servers, s.at("/jobs"), {.period = 1ms, .at_most_for = 1h}};
    const auto report = jobs.run([](job_run&) {});
    good(report);
    demand(!report->unrecorded, "a job whose end is not recorded");
    demand(report->verdict != job_verdict::running, "a job that is left running");
    rate_gate rate{*s.servers, s.at("/rate"), {.entries = 100, .period = 1s}};
    good(rate.enter({.timeout = s.patience}));
}

void new_client(scene& s) {
    client fresh{s.where.servers, {.close_timeout = s.patience}};
    const auto listening = fresh.on_change([](const session_change&) {});
    good(fresh.wait_connected(boottime_clock::now() + s.patience));
    fresh.close();
}

}  // namespace

const std::vector<named_cycle>& all_cycles() {
    static const std::vector<named_cycle> all{
        {"mutex_acquire", mutex_acquire},
        {"mutex_try", mutex_try},
        {"mutex_timed", mutex_timed},
        {"mutex_async", mutex_async},
        {"mutex_stopped", mutex_stopped},
        {"mutex_queries", mutex_queries},
        {"recursive", recursive},
        {"standard_forms", standard_forms},
        {"shared", shared},
        {"upgrade", upgrade},
        {"permits", permits},
        {"permit_limit", permit_limit},
        {"several", several},
        {"several_async", several_async},
        {"quorum", quorum},
        {"quorum_async", quorum_async},
        {"latch", latch},
        {"election", election},
        {"commits", commits},
        {"retained", retained},
        {"cohort", cohort},
        {"revoked", revoked},
        {"session_lost", session_lost},
        {"link_broken", link_broken},
        {"deadlock_detected", deadlock_detected},
        {"gates", gates},
        {"new_client", new_client},
    };
    return all;
}

}  // namespace turnstile::tests
