// SPDX-License-Identifier: Apache-2.0
// read_node: reads the data and version of a znode. With the version, a transaction can require that the znode has not
// changed since.
//
//     auto stock = turnstile::read_node(servers, "/stock/7").value();
//     const auto writes = turnstile::transaction{}.set("/stock/7", one_less(stock.data), stock.version);
//     if (const auto done = hold->commit(writes); !done) log(done.error().message());
//
// Under a hold, pass the guard. The result then includes everything that earlier holders wrote:
//
//     auto pieces = turnstile::read_node(*hold, "/stock/7").value();
//
// Thread safety: any thread may call these functions.
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

// A znode, as read_node() returns it.
struct node {
    std::string data{};        // data of the znode, any bytes
    std::int32_t version = 0;  // number of writes since its creation
    bool ephemeral = false;    // true if the znode ends with the session that owns it
    friend bool operator==(const node&, const node&) = default;
};

// Reads the znode at `path` from the server to which the client is connected. That server may lag behind the leader, so
// the result may be old; a `set` or `check` with the version of the result then fails. The call is a Boost interruption
// point. Errors: `no_node`, `no_permission`, `bad_path`, `protocol` (the servers refuse for another reason), the errors
// of the wait (`timeout`, `cancelled`, `not_connected`, `unresolvable`, `interrupted`), `auth_failed`, `closed`,
// `forked`.
[[nodiscard]] TURNSTILE_EXPORT result<node> read_node(const client& servers, std::string_view path,
                                                      const query_options& options = {});

// Reads the znode at `path` under a hold. The result includes all writes of earlier holders of the lock: each commit(),
// and each other write that the servers answered before the holder released the lock. For a multi_lock, the result
// includes these writes for each of its locks. If the call succeeds, the hold is valid when the answer arrives.
//
// The read uses the session of the hold, and usually costs one request. After a reconnect, or if several sessions or
// threads of this process share the hold, the library first sends a commit that changes nothing
// (docs/why/guarded-writes.md). The default timeout is the session timeout. Errors: the errors of read_node() without a
// hold, the errors of guard::status(), `not_held` (an empty guard), `bad_option` (the hold of a quorum_lock, which
// belongs to several servers).
[[nodiscard]] TURNSTILE_EXPORT result<node> read_node(const guard& hold, std::string_view path,
                                                      const query_options& options = {});

// Reads the znode at `path`, with a timeout or a deadline in place of options.
template <waiting_time W>
[[nodiscard]] result<node> read_node(const client& servers, std::string_view path, const W& limit) {
    return read_node(servers, path, {.timeout = limit});
}
// Reads the znode at `path` under a hold, with a timeout or a deadline in place of options: read_node(hold, path, 2s).
template <waiting_time W>
[[nodiscard]] result<node> read_node(const guard& hold, std::string_view path, const W& limit) {
    return read_node(hold, path, {.timeout = limit});
}

}  // namespace turnstile
