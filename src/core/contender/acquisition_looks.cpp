// SPDX-License-Identifier: Apache-2.0
// The second look: a watch event is a hint, and a wait does not rest on one alone.
//
// Servers since 3.8.4 and 3.9.2, and Debian's 3.8.0, send an event only to sessions that may read its znode
// (CVE-2024-23944): once a client has taken READ off a znode, its deletion wakes no waiter. So each wait is looked
// at again from time to time (second_looks.cpp), by a request that does not need what the event needed.
//
// | contender                          | looks by                                  | tells                       |
// |------------------------------------|-------------------------------------------|-----------------------------|
// | a waiter                           | the get with a watch of the one ahead     | "no such node", READ or not |
// | one that waits for permits         | that, or of the folder; the list and the  | which are gone, which were  |
// |                                    | limit                                     | granted, how many there are |
// | a hold that hears of those behind  | the list with a watch                     | which contenders have come  |
//
// A get that finds the znode sets its watch anew. Nothing else waits for events: its own znode is what a session
// confirms, and the time of a lock delay is its own.
#include "core/contender/acquisition_call.hpp"

namespace turnstile::core::state {

void queued::look_again(acquisition_call& call) {
    auto& c = call.session;
    if (asks_for_place() || !is_listed_on(c.connection())) return;  // a look is under way
    auto& nearest = *awaited.begin();  // the only one; of a semaphore's head the folder
    if (!nearest.probing && nearest.on == c.connection())
        nearest.probing = c.submit(get_op{nearest.path(call.folder()), watch_mode::watch});
    if (call.settings.wants.kind == contender_kind::permit) listed_on = 0;
    call.step();
}

// An event that comes before the list is in the list.
void held::look_again(acquisition_call& call) {
    behind.change().look_again();
    call.step();
}

}  // namespace turnstile::core::state
