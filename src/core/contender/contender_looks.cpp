// SPDX-License-Identifier: Apache-2.0
// The second look: a contender reads again from time to time, because no wait may rely on a watch event alone.
//
// Servers since 3.8.4 and 3.9.2, and Debian's 3.8.0, send an event only to sessions that may read the znode
// (CVE-2024-23944). If a client has taken the permission READ off a znode, the znode's deletion wakes no waiter. So
// from time to time each waiting contender reads again (second_looks). A get of a deleted znode returns "no such
// node" even to a session without the permission READ.
//
// | contender                          | request                                   | answer                      |
// |------------------------------------|-------------------------------------------|-----------------------------|
// | a waiter                           | a get, with a watch, of the znode of the  | "no such node", if the      |
// |                                    | nearest contender ahead                   | contender ahead is gone     |
// | a waiter for permits               | a get as in the row above; or, if it is   | contenders that are gone or |
// |                                    | the first waiter, a get of the folder.    | granted, number of permits  |
// |                                    | Also a list, and a read of the limit      |                             |
// | a hold that reports contenders     | the list with a watch                     | contenders that have come   |
// | behind                             |                                           |                             |
//
// A get that finds the znode sets its watch again. Other waits need no second look: confirmations check the session's
// own znodes, and a lock delay ends by time.
#include "core/contender/contender_call.hpp"

namespace turnstile::core::state {

void queued::look_again(contender_call& call) {
    auto& c = call.session;
    if (asks_for_place() || !is_listed_on(c.connection())) return;  // a read is in progress
    auto& nearest = *awaited.begin();  // the only element, or the folder, which comes first
    if (!nearest.probing && nearest.on == c.connection())
        nearest.probing = c.submit(get_op{nearest.path(call.folder()), watch_mode::watch});
    if (call.settings.wants.kind == claim_kind::permit) listed_on = 0;
    call.step();
}

void held::look_again(contender_call& call) {
    behind.change().look_again();
    call.step();
}

}  // namespace turnstile::core::state
