// SPDX-License-Identifier: Apache-2.0
#include "recipe/node/stamped_node.hpp"

#include <utility>

#include "client/internals.hpp"
#include "turnstile/stop_any.hpp"

namespace turnstile::detail {

result<stamped_data> read_stamped(client_impl& servers, const std::string& path,
                                  const query_options& limits) {
    auto answers = servers.read({core::get_op{path}}, limits);
    if (!answers) return answers.error();
    auto& found = answers->front();
    if (found.error == core::server_error::no_node) return stamped_data{};
    if (found.error == core::server_error::no_auth)
        return error{errc::no_permission, "to read " + path};
    if (found.error != core::server_error::ok)
        return error{errc::protocol, "a refusal to read " + path};
    return stamped_data{std::move(found.data), found.stat.version, found.stat.mtime};
}

// Stops waiting when the hold ends. Otherwise the call could wait for unreachable servers long after the end of the
// hold.
result<stamped_data> stamped_node::read_while_held(const std::string& path,
                                                   const query_options& limits) const {
    if (const auto held = by_.status(); !held) return held.error();
    const stop_any over{limits.stop, by_.lost()};
    auto found = read_stamped(servers_, path, {limits.timeout, over.token()});
    if (found) return found;
    if (const auto held = by_.status(); !held) return held.error();
    return found;
}

result<stamped_data> stamped_node::read(const query_options& limits) const {
    return read_while_held(path_, limits);
}

result<std::int64_t> stamped_node::ask_time(const query_options& limits) const {
    if (const auto touched = catch_up(internals::hold_of(by_), limits); !touched)
        return touched.error();
    const auto own = read_while_held(by_.znode(), limits);
    if (!own) return own.error();
    if (!own->exists()) return error{errc::removed, by_.znode()};
    return own->changed;
}

result<void> stamped_node::write(const stamped_data& as_read, const std::string& text,
                                 const query_options& limits) const {
    transaction writes;
    if (as_read.exists()) {
        writes.set(path_, text, as_read.version);
    } else {
        writes.create(path_, text);
    }
    const auto written = by_.commit(writes, {limits.timeout, limits.stop});
    if (!written) return written.error();
    return {};
}

}  // namespace turnstile::detail
