// SPDX-License-Identifier: Apache-2.0
// turnstile_kinds: implements the commands of peer "turnstile" for all kinds of locks except the mutex, with one
// session. CuratorKinds.java implements the same commands except "enter", with Curator's recipes.
//
//     readwrite PATH THREADS WRITES BEGIN END    each thread takes and releases the lock, WRITES of 100 times as a
//                                                writer, otherwise as a reader; answers grants=N, the grants between
//                                                BEGIN and END, and all=N, all grants
//     permit PATH THREADS PERMITS BEGIN END      each thread takes and releases one of PERMITS permits
//     lead PATH BEGIN END                        takes part in an election, and leaves it as soon as it leads
//     enter PATH BEGIN END                       enters a rate gate whose rule never makes a caller wait
#pragma once

#include <atomic>
#include <chrono>
#include <random>
#include <string>

#include "protocol.hpp"
#include "turnstile/leader.hpp"
#include "turnstile/rate_gate.hpp"
#include "turnstile/semaphore.hpp"
#include "turnstile/shared_mutex.hpp"

namespace bench {

inline std::string readwrite(const turnstile::client& servers, const arguments& given) {
    turnstile::shared_mutex lock{servers, given.at(0)};
    const auto writes = number(given.at(2));
    return count_by_threads(
        number(given.at(1)), number(given.at(3)), number(given.at(4)), [&](grant_count& count) {
            thread_local std::minstd_rand chance{std::random_device{}()};
            const bool writer = std::uniform_int_distribution<>{0, 99}(chance) < writes;
            const auto hold = writer ? lock.acquire().value() : lock.acquire_shared().value();
            count.granted();
        });
}

inline std::string permit(const turnstile::client& servers, const arguments& given) {
    turnstile::semaphore permits{servers, given.at(0), number(given.at(2))};
    return count_by_threads(number(given.at(1)), number(given.at(3)), number(given.at(4)),
                            [&](grant_count& count) {
                                const auto hold = permits.acquire().value();
                                count.granted();
                            });
}

inline std::string lead(const turnstile::client& servers, const arguments& given) {
    turnstile::leader participant{
        servers, given.at(0), {.protocol = turnstile::election_protocol::latch}};
    return count_until(number(given.at(1)), number(given.at(2)),
                       [&](grant_count& count) {
                           participant.start();
                           participant.await().value();
                           count.granted();
                           participant.close();
                       })
        .text();
}

inline std::string enter(const turnstile::client& servers, const arguments& given) {
    turnstile::rate_gate gate{
        servers,
        given.at(0),
        {.entries = turnstile::rate_gate::k_most_entries, .period = std::chrono::hours{24}}};
    return count_until(number(given.at(1)), number(given.at(2)),
                       [&](grant_count& count) {
                           gate.enter().value();
                           count.granted();
                       })
        .text();
}

inline void add_kinds(commands& known, const turnstile::client& servers) {
    known.emplace("readwrite",
                  [&servers](const arguments& given) { return readwrite(servers, given); });
    known.emplace("permit", [&servers](const arguments& given) { return permit(servers, given); });
    known.emplace("lead", [&servers](const arguments& given) { return lead(servers, given); });
    known.emplace("enter", [&servers](const arguments& given) { return enter(servers, given); });
}

}  // namespace bench
