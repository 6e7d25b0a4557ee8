// SPDX-License-Identifier: Apache-2.0
// read_node: what stands in a znode, and its version, for a transaction that writes it only if it is still so.
//
//     auto stock = turnstile::read_node(servers, "/stock/7").value();
//     const auto writes = turnstile::transaction{}.set("/stock/7", one_less(stock.data), stock.version);
//     if (const auto done = hold->commit(writes); !done) log(done.error().message());
//
// Under a hold it is read through the hold: then it is as new as the lock makes it.
//
//     auto pieces = turnstile::read_node(*hold, "/stock/7").value();
//
// Thread safety: functions, from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class guard;

struct node {
    std::string data{};
    std::int32_t version = 0;  // counts the writes to it
    bool ephemeral = false;    // goes with a session
    friend bool operator==(const node&, const node&) = default;
};

// As the server that the client is attached to has it, which may be behind the leader by what it has not heard yet;
// a `set` or `check` of the version that was read finds that out. Errors: no_node, no_permission, bad_path, protocol
// (the servers refuse for another reason), those of the wait (timeout, cancelled, not_connected, unresolvable,
// interrupted), auth_failed, closed, forked. A Boost interruption point.
[[nodiscard]] TURNSTILE_EXPORT result<node> read_node(const client& servers, std::string_view path,
                                                      const query_options& options = {});

// As it stands under the hold: with all that earlier holders of the lock wrote, by commit(), or in any other way that
// was answered before they released; of a multi_lock's hold those of each of its locks. Read in the hold's own session,
// without a further request; after a re-attach, and where several sessions or threads of this process share in the hold,
// a commit that changes nothing comes first (docs/why/guarded-writes.md). The hold is valid when the answer is there.
// Errors: as above, those of guard::status(), not_held (an empty guard), bad_option (a quorum_lock's hold, which is of
// several servers). Default time-out: the session's.
[[nodiscard]] TURNSTILE_EXPORT result<node> read_node(const guard& hold, std::string_view path,
                                                      const query_options& options = {});

}  // namespace turnstile
