// SPDX-License-Identifier: Apache-2.0
// stamped_node: a persistent znode that is read and written under a hold, and the leader's clock.
//
// "Now" is the leader's stamp of a write of ours: a commit that changes only the hold's own znode, whose mtime is
// then read. So the clocks of this machine and of the connected server do not matter. The stamps of one leader never
// decrease, unless its clock is set back. A new leader's clock may differ from the old one's as much as their
// machines' clocks.
//
// A call also ends when the hold ends: with the error of guard::status(), or with guard::commit()'s outcome_unknown.
//
// Thread safety: a value of references; for one thread at a time. Calls block.
#pragma once

#include <cstdint>
#include <string>

#include "client/client_impl.hpp"
#include "recipe/node/stamped_data.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

class stamped_node {
public:
    stamped_node(client_impl& servers, std::string path, guard& by)
        : servers_{servers}, path_{std::move(path)}, by_{by} {}

    [[nodiscard]] result<stamped_data> read(const query_options& limits) const;
    // The time on the clock of the servers' leader, read after this call began.
    [[nodiscard]] result<std::int64_t> ask_time(const query_options& limits) const;
    // Writes or makes the znode, if it has not changed since it was read. bad_version, node_exists: it has.
    result<void> write(const stamped_data& as_read, const std::string& text,
                       const query_options& limits) const;

private:
    [[nodiscard]] result<stamped_data> read_while_held(const std::string& path,
                                                       const query_options& limits) const;

    client_impl& servers_;
    const std::string path_;
    guard& by_;
};

// Reads without a hold.
[[nodiscard]] result<stamped_data> read_stamped(client_impl& servers, const std::string& path,
                                                const query_options& limits);

}  // namespace turnstile::detail
