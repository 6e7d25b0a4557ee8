// SPDX-License-Identifier: Apache-2.0
// A campaign's worker uses the exclusive recipes: mutex, recursive_mutex, locks that a process's threads share,
// multi_lock, and guarded writes.
#include <thread>

#include "player.hpp"
#include "turnstile/multi_lock.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/recursive_mutex.hpp"
#include "turnstile/transaction.hpp"

namespace campaign {

using namespace std::chrono_literals;

void play_mutex(player& me) {
    const std::string path = "/campaign/mutex";
    turnstile::mutex lock{me.servers(), path};
    for (; me.goes_on(); me.think())
        me.turn(way_of(lock), "role=mutex path=" + path + " want=exclusive", {path});
}

void play_again(player& me) {
    const std::string path = "/campaign/again";
    turnstile::mutex lock{me.servers(), path};
    while (me.goes_on()) {
        for (int left = me.between(2, 12); left != 0 && me.goes_on(); --left)
            me.turn(way_of(lock), "role=again path=" + path + " want=exclusive", {path});
        player::work(milliseconds{me.between(100, 1'500)});
    }
}

namespace {

// The owner takes the lock twice. The worker's notes record the inner acquire as a part of the same hold.
void nested_turn(player& me, turnstile::recursive_mutex& lock, const std::string& path) {
    const auto timeout = me.some_timeout();
    const auto mine = me.begin("role=recursive path=" + path + " want=exclusive", timeout);
    auto outer = lock.acquire(me.options(mine, timeout));
    if (!outer) return me.failed(*mine, outer.error());
    me.granted(*mine, *outer, {path});
    {
        const auto again = me.begin("role=recursive path=" + path + " want=again", timeout);
        auto inner = lock.acquire(me.options(again, timeout));
        if (inner) {
            me.out().write(boottime_clock::now(), "entered", again->id, "token={} outer={}",
                           inner->fencing_token().to_string(), mine->id);
            me.critical_section(*mine, *inner);
            inner->unlock();
        } else {
            me.failed(*again, inner.error());
        }
        me.critical_section(*mine, *outer);
    }
    me.release(*mine, *outer);
}

}  // namespace

void play_recursive(player& me) {
    const std::string path = "/campaign/recursive";
    turnstile::recursive_mutex lock{me.servers(), path};
    for (; me.goes_on(); me.think()) nested_turn(me, lock, path);
}

// Threads of this process share the lock. The process keeps the lock between their holds (retain_for), hands it from
// thread to thread (cohort), or both. Other processes use other settings.
void play_retained(player& me) {
    const std::string path = "/campaign/retained";
    turnstile::lock_options modes;
    if (me.chance(0.7)) modes.retain_for = milliseconds{me.between(20, 2'000)};
    if (modes.retain_for == 0s || me.chance(0.5))
        modes.cohort = static_cast<std::uint32_t>(me.between(1, 6));
    turnstile::mutex lock{me.servers(), path, modes};
    std::vector<std::jthread> others;
    const auto play = [&lock, &path](player& player) {
        for (; player.goes_on(); player.think())
            player.turn(way_of(lock), "role=retained path=" + path + " want=exclusive", {path});
    };
    for (int i = 0; i != 2; ++i) {
        others.emplace_back([&, seed = static_cast<std::uint64_t>(me.between(0, 1 << 30))] {
            player player{me.out(),  me.servers(), me.others(), me.where(),
                          me.name(), seed,         me.ending()};
            play(player);
        });
    }
    play(me);
}

// Half of the calls of turn() take both locks. The other calls take one of the two locks.
void play_multi(player& me) {
    const std::string a = "/campaign/multi-a";
    const std::string b = "/campaign/multi-b";
    turnstile::mutex first{me.servers(), a};
    turnstile::mutex second{me.servers(), b};
    turnstile::multi_lock both{second, first};
    for (; me.goes_on(); me.think()) {
        switch (me.between(0, 3)) {
            case 0: me.turn(way_of(first), "role=multi path=" + a + " want=exclusive", {a}); break;
            case 1: me.turn(way_of(second), "role=multi path=" + b + " want=exclusive", {b}); break;
            default:
                me.turn(way_of(both), "role=multi path=" + a + "," + b + " want=exclusive", {a, b});
        }
    }
}

namespace {

constexpr const char* k_counter = "/campaign-counter";

// Takes the lock and creates the znode that holders write, unless another process has created the znode.
bool make_counter(player& me, turnstile::mutex& lock) {
    const milliseconds patience{20'000};
    auto hold = lock.acquire({.timeout = patience, .stop = me.ending()});
    return hold && hold->commit(turnstile::transaction{}.make(k_counter),
                                {.timeout = patience, .stop = me.ending()});
}

void commit_once(player& me, const trace& of, guard& hold) {
    const auto timeout = me.some_timeout();
    const auto name = me.out().next_id();
    const auto data = fmt::format("{}.{}.{}", me.name(), process_number(), name);
    turnstile::transaction writes;
    writes.set(k_counter, data);
    const auto now = boottime_clock::now();
    me.out().write(now, "commit", name, "hold={} data={} deadline={}", of.id, data,
                   nanoseconds(now + timeout));
    const auto outcome = hold.commit(writes, {.timeout = timeout, .stop = me.ending()});
    me.out().write(boottime_clock::now(), "committed", name, "result={}",
                   outcome ? "ok"
                   : outcome.error() == turnstile::errc::outcome_unknown
                       ? "unknown"
                       : "refused:" + outcome_of(outcome.error()));
}

void commit_turn(player& me, turnstile::mutex& lock, const std::string& path) {
    const auto timeout = me.some_timeout();
    const auto mine = me.begin("role=commit path=" + path + " want=exclusive", timeout);
    auto hold = lock.acquire(me.options(mine, timeout));
    if (!hold) return me.failed(*mine, hold.error());
    me.granted(*mine, *hold, {path});
    for (int i = me.between(1, 4); i != 0; --i) {
        commit_once(me, *mine, *hold);
        player::work(milliseconds{me.between(0, 15)});
    }
    if (me.still_valid(*mine, *hold)) me.critical_section(*mine, *hold);
    me.release(*mine, *hold);
}

}  // namespace

void play_commits(player& me) {
    const std::string path = "/campaign/commit";
    turnstile::mutex lock{me.servers(), path};
    while (me.goes_on() && !make_counter(me, lock)) me.think();
    for (; me.goes_on(); me.think()) commit_turn(me, lock, path);
}

}  // namespace campaign
