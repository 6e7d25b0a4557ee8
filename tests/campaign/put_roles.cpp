// SPDX-License-Identifier: Apache-2.0
// A campaign's worker writes with put and make under one or two holds. Meanwhile other processes remove the znode and
// its parent.
#include <algorithm>
#include <array>
#include <future>
#include <optional>
#include <thread>

#include "player.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/transaction.hpp"

namespace campaign {
namespace {

using turnstile::commit_result;
using turnstile::transaction;

constexpr const char* k_shelf = "/campaign-shelf";
// Each removal also writes a unique text into this znode. By this text, judge.py finds the removal in the servers'
// records.
constexpr const char* k_swept = "/campaign-shelf-swept";

struct held {
    std::shared_ptr<trace> of;
    guard hold;
};

std::optional<held> take(player& me, turnstile::mutex& lock) {
    const auto timeout = me.some_timeout();
    const auto mine = me.begin("role=put path=" + lock.path() + " want=exclusive", timeout);
    auto hold = me.take(way_of(lock), me.options(mine, timeout));
    if (!hold) return me.failed(*mine, hold.error()), std::nullopt;
    me.granted(*mine, *hold, {lock.path()});
    return held{mine, std::move(*hold)};
}

// Identifies a commit in the notes. The commit writes unique texts at the servers: `data`.0, `data`.1, ...
struct commit_mark {
    std::uint64_t id;
    std::string data;
    int entries;
    bool removes;  // true: a part removes a znode, so the servers may refuse the commit
};

commit_mark next_mark(player& me, int entries, bool removes) {
    const auto id = me.out().next_id();
    return {id, fmt::format("{}.{}.{}", me.name(), process_number(), id), entries, removes};
}

std::string entry_of(const commit_mark& mark, int i) {
    return fmt::format("{}.{}", mark.data, i);
}

// The number of znodes is small, so that several processes write and remove the same znode. Each of these znodes has
// one child, "entry".
constexpr int k_places = 4;
std::string place(int i) {
    return fmt::format("{}/{}/row", k_shelf, i % k_places);
}

std::string told(const result<commit_result>& outcome) {
    if (outcome) return "result=ok part=-";
    const auto& why = outcome.error();
    return fmt::format(
        "result={} part={}",
        why == turnstile::errc::outcome_unknown ? "unknown" : "refused:" + outcome_of(why),
        why.part() ? std::to_string(*why.part()) : "-");
}

// Commits under the first hold, and under the further hold unless it is null. The future becomes ready with the
// commit's answer.
std::future<void> commit(player& me, const commit_mark& mark, held& first, held* further,
                         transaction& writes) {
    if (further != nullptr) writes.under(further->hold);
    // Writes a note that tells judge.py whether the hold is still valid. On slow servers a commit may come after the
    // end of the validity that the grant's note states.
    static_cast<void>(me.still_valid(*first.of, first.hold));
    const auto timeout = me.some_timeout();
    const auto now = boottime_clock::now();
    me.out().write(now, "commit", mark.id,
                   "hold={} under={} data={} entries={} deadline={} store=shelf removes={}",
                   first.of->id, further != nullptr ? std::to_string(further->of->id) : "-",
                   mark.data, mark.entries, nanoseconds(now + timeout), mark.removes ? 1 : 0);
    const auto answered = std::make_shared<std::promise<void>>();
    first.hold.async_commit(writes, {.timeout = timeout, .stop = me.ending()},
                            [&out = me.out(), id = mark.id, answered](const auto& outcome) {
                                const auto text = told(outcome);
                                out.write(boottime_clock::now(), "committed", id, "{}", text);
                                answered->set_value();
                            });
    return answered->get_future();
}

std::future<void> put(player& me, held& first, held* further) {
    const auto mark = next_mark(me, me.between(1, k_places), false);
    const int begin = me.between(0, k_places - 1);
    transaction writes;
    for (int i = 0; i != mark.entries; ++i)
        writes.make(place(begin + i)).put(place(begin + i) + "/entry", entry_of(mark, i));
    return commit(me, mark, first, further, writes);
}

// Starts several commits, which the servers execute in order. Sometimes it starts so many that a fault happens before
// all of them have ended. Sometimes it releases `further`, a second hold that the commits require, before the answers
// arrive.
void put_some(player& me, held& first, held* further) {
    std::vector<std::future<void>> under_way;
    const bool many = me.chance(further != nullptr ? 0.2 : 0.05);
    for (int i = many ? me.between(50, 150) : me.between(1, 6); i != 0; --i)
        under_way.push_back(put(me, first, further));
    if (further != nullptr && me.chance(0.2)) me.release(*further->of, further->hold);
    for (auto& each : under_way) each.wait();
}

// Removes an entry, its parent, or both. Players call this many times, so that a removal often comes between the read
// and the write of a put. The servers refuse many removals, because the znode has children or does not exist.
void remove_one(player& me, held& first) {
    const auto mark = next_mark(me, 1, true);
    const auto row = place(me.between(0, k_places - 1));
    const std::array<std::string, 4> upwards{row + "/entry", row, row.substr(0, row.rfind('/')),
                                             k_shelf};
    const int begin = me.chance(0.6) ? 0 : me.between(1, 3);
    const int end = std::min(3, begin + me.between(0, 2));
    transaction writes;
    for (int i = begin; i <= end; ++i) writes.remove(upwards.at(static_cast<std::size_t>(i)));
    writes.put(k_swept, entry_of(mark, 0));
    commit(me, mark, first, nullptr, writes).wait();
}

void let_go(player& me, held& mine) {
    if (!mine.hold) return;
    if (me.still_valid(*mine.of, mine.hold) && me.chance(0.3))
        me.critical_section(*mine.of, mine.hold);
    me.release(*mine.of, mine.hold);
}

void put_under(player& me, held& first, std::optional<held>& second) {
    for (int i = me.between(1, 4); i != 0 && first.hold; --i) {
        held* const further = second && second->hold ? &*second : nullptr;
        if (further != nullptr && me.chance(0.5)) {
            put_some(me, *further, &first);
        } else {
            put_some(me, first, further);
        }
        player::work(milliseconds{me.between(0, 15)});
    }
}

// Takes the lock, writes and releases. Half of the calls take the second lock as well, and then either hold may commit.
void put_turn(player& me, turnstile::mutex& lock, turnstile::mutex& second_lock) {
    auto second = me.chance(0.5) ? take(me, second_lock) : std::nullopt;
    if (auto first = take(me, lock)) {
        put_under(me, *first, second);
        let_go(me, *first);
    }
    if (second) let_go(me, *second);
}

void remove_turn(player& me, turnstile::mutex& second_lock) {
    auto mine = take(me, second_lock);
    if (!mine) return;
    for (int i = me.between(1, 20); i != 0 && mine->hold.valid(); --i) {
        remove_one(me, *mine);
        player::work(milliseconds{me.between(0, 5)});
    }
    let_go(me, *mine);
}

}  // namespace

// Each player has a second thread that removes znodes, so that removals always compete with puts.
void play_put(player& me) {
    turnstile::mutex lock{me.servers(), "/campaign/put"};
    turnstile::mutex second_lock{me.others(), "/campaign/under"};
    const std::jthread remover{
        [&me, &second_lock, seed = static_cast<std::uint64_t>(me.between(0, 1 << 30))] {
            player player{me.out(),  me.servers(), me.others(), me.where(),
                          me.name(), seed,         me.ending()};
            for (; player.goes_on(); player.think()) remove_turn(player, second_lock);
        }};
    for (; me.goes_on(); me.think()) put_turn(me, lock, second_lock);
}

}  // namespace campaign
