// SPDX-License-Identifier: Apache-2.0
// A campaign's worker uses a mutex whose holder writes into the server that also has the lock. The holder writes in a
// database transaction in which sql::check verifies the hold, or in a Redis script in which redis::check verifies the
// hold.
#include "checked_store.hpp"
#include "player.hpp"
#include "turnstile/mutex.hpp"

namespace campaign {
namespace {

constexpr milliseconds k_patience{60'000};  // timeout of a program that waits for its server

void append_once(player& me, checked_store& store, const trace& of, const guard& hold) {
    const auto id = me.out().next_id();
    const auto data = fmt::format("{}.{}.{}", me.name(), process_number(), id);
    const auto now = boottime_clock::now();
    me.out().write(now, "commit", id, "hold={} data={} deadline={} store=entries", of.id, data,
                   nanoseconds(now + k_patience));
    const milliseconds dawdle{me.chance(0.05) ? me.between(50, 400) : me.between(0, 3)};
    const auto outcome = store.append(hold, data, [&] { player::work(dawdle); });
    me.out().write(boottime_clock::now(), "committed", id, "result={}",
                   outcome == written::ok        ? "ok"
                   : outcome == written::refused ? "refused"
                                                 : "unknown");
}

void checked_turn(player& me, checked_store& store, turnstile::mutex& lock,
                  const std::string& path) {
    const auto timeout = me.some_timeout();
    const auto mine = me.begin("role=checked path=" + path + " want=exclusive", timeout);
    auto hold = lock.acquire(me.options(mine, timeout));
    if (!hold) return me.failed(*mine, hold.error());
    me.granted(*mine, *hold, {path});
    // The program does not check its hold, so only the server's check can refuse its late writes.
    for (int i = me.between(1, 4); i != 0; --i) {
        append_once(me, store, *mine, *hold);
        player::work(milliseconds{me.between(0, 15)});
    }
    if (me.still_valid(*mine, *hold)) me.critical_section(*mine, *hold);
    me.release(*mine, *hold);
}

}  // namespace

void play_checked(player& me) {
    const std::string path = "/campaign/checked";
    const auto store = open_store(me.where());
    if (store == nullptr) return;
    turnstile::mutex lock{me.servers(), path};
    for (; me.goes_on(); me.think()) checked_turn(me, *store, lock, path);
}

}  // namespace campaign
