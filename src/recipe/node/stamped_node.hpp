// SPDX-License-Identifier: Apache-2.0
// stamped_node: a persistent znode that is read and written under a hold, and the leader's clock.
//
// "Now" is what the leader stamps a write of ours with: a commit that changes nothing but the hold's own
// znode, whose mtime is then read. So the clocks of this machine and of the server that we are at do not
// matter. The stamps of one leader do not go back unless its clock is set back; a new leader's clock may
// differ from the old one's by what their machines' clocks differ.
//
// A call ends with the hold, too: with the error of guard::status(), or with guard::commit()'s outcome_unknown.
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
    // The time by the clock of the servers' leader, read after this call began.
    [[nodiscard]] result<std::int64_t> ask_time(const query_options& limits) const;
    // Writes it, or makes it, if it is still as it was read. bad_version, node_exists: it is not.
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
