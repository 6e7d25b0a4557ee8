// SPDX-License-Identifier: Apache-2.0
#include "turnstile/tools/make_folder.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "core/contender/contender_errors.hpp"
#include "recipe/lock/lock_queries.hpp"

namespace turnstile {
namespace {

using core::server_error;

// Servers since 3.7.3, 3.8.4 and 3.9.2 answer no_auth for an existing znode that the client may not read. So no_auth
// means that the znode exists.
result<bool> is_there(detail::client_impl& client, const std::string& path,
                      const query_options& options) {
    const auto found = client.read({core::exists_op{path}}, options);
    if (!found) return found.error();
    const auto answer = found->front().error;
    return answer == server_error::ok || answer == server_error::no_auth;
}

result<void> make(detail::client_impl& client, const std::string& path,
                  const query_options& options) {
    std::vector<core::operation> writes;
    for (auto& each : base::path_from_root(path))
        writes.emplace_back(core::create_op{
            std::move(each), {}, core::create_mode::persistent, client.services().acl});
    const auto answers = client.write_repeatedly(std::move(writes), options);
    if (!answers) return answers.error();
    // The call succeeds if the last znode now exists. A refusal to create one of its parents does no harm if the parent
    // exists: the client may only lack the right to create it.
    const auto last = answers->back().error;
    if (last == server_error::ok || last == server_error::node_exists) return {};
    for (const auto& answer : *answers)
        if (auto why = core::folder_refusal(path, answer.error)) return *std::move(why);
    return error{errc::protocol, "a refusal to create " + path};
}

}  // namespace

result<void> make_folder(const client& servers, std::string_view path,
                         const query_options& options) {
    if (const auto valid = base::validate_path(path); !valid) return valid.error();
    const auto impl = detail::internals::of(servers);
    if (!impl) return error{errc::closed};
    const auto limits = detail::with_deadline(options);
    const std::string folder{path};
    const auto there = is_there(*impl, folder, limits);
    if (there.has_error()) return there.error();
    if (*there) return {};
    return make(*impl, folder, limits);
}

}  // namespace turnstile
