// SPDX-License-Identifier: Apache-2.0
// stamped_node: reads and writes a persistent znode under a hold, and reads the clock of the servers' leader.
//
// To learn the present time, stamped_node commits a write that changes only the hold's own znode, and then reads that
// znode's mtime: the leader's time stamp of the write. So the clocks of this machine and of the connected server do not
// matter. The stamps of one leader never decrease, unless its clock is set back. A new leader's clock may differ from
// the previous leader's clock.
//
// A call also ends when the hold ends: with the error of guard::status(), or with outcome_unknown from guard::commit().
//
// Thread safety: one thread at a time. Calls block. The client and the guard must outlive this object.
#pragma once

#include <cstdint>
#include <string>

#include "client/client_impl.hpp"
#include "recipe/node/node_data.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

class stamped_node {
public:
    stamped_node(client_impl& servers, std::string path, guard& by)
        : servers_{servers}, path_{std::move(path)}, by_{by} {}

    [[nodiscard]] result<stamped_data> read(const query_options& limits) const;
    // Returns the time by the leader's clock at some moment after the start of this call.
    [[nodiscard]] result<std::int64_t> ask_time(const query_options& limits) const;
    // Writes or creates the znode. Errors: bad_version and node_exists if the znode has changed since `as_read`.
    result<void> write(const stamped_data& as_read, const std::string& text,
                       const query_options& limits) const;

private:
    [[nodiscard]] result<stamped_data> read_while_held(const std::string& path,
                                                       const query_options& limits) const;

    client_impl& servers_;
    const std::string path_;
    guard& by_;
};

// Reads a znode without a hold.
[[nodiscard]] result<stamped_data> read_stamped(client_impl& servers, const std::string& path,
                                                const query_options& limits);

}  // namespace turnstile::detail
