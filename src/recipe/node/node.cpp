// SPDX-License-Identifier: Apache-2.0
#include "turnstile/node.hpp"

#include <utility>

#include "base/path.hpp"
#include "client/client_impl.hpp"
#include "client/hold.hpp"
#include "client/internals.hpp"

namespace turnstile {

namespace {

result<node> node_of(core::reply&& found, std::string_view path) {
    if (found.error == core::server_error::no_node) return error{errc::no_node, std::string{path}};
    if (found.error == core::server_error::no_auth)
        return error{errc::no_permission, "to read " + std::string{path}};
    if (found.error != core::server_error::ok)
        return error{errc::protocol, "a refusal to read " + std::string{path}};
    return node{std::move(found.data), found.stat.version, found.stat.ephemeral_owner != 0};
}

}  // namespace

result<node> read_node(const client& servers, std::string_view path, const query_options& options) {
    if (const auto valid = base::validate_path(path); !valid) return valid.error();
    const auto impl = detail::internals::of(servers);
    if (!impl) return error{errc::closed};
    auto answers = impl->read({core::get_op{std::string{path}}}, options);
    if (!answers) return answers.error();
    return node_of(std::move(answers->front()), path);
}

result<node> read_node(const guard& hold, std::string_view path, const query_options& options) {
    if (const auto valid = base::validate_path(path); !valid) return valid.error();
    const auto held = detail::usable_hold(hold, "to read " + std::string{path});
    if (!held) return held.error();
    auto found = detail::read_by(*held, std::string{path}, options);
    if (!found) return found.error();
    return node_of(std::move(*found), path);
}

}  // namespace turnstile
