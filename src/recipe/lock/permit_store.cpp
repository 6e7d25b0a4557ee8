// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/permit_store.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"
#include "recipe/lock/lock_queries.hpp"

namespace turnstile::detail {

namespace {

// Limit of the attempts: other clients may set the number of permits between this client's read and its write.
constexpr int k_most_rounds = 64;

error refusal(core::server_error why, const std::string& path) {
    switch (why) {
        case core::server_error::no_auth: return {errc::no_permission, "to read or set " + path};
        case core::server_error::no_node: return {errc::bad_path, path + " is no semaphore yet"};
        case core::server_error::no_children_for_ephemerals:
            return {errc::bad_path, '"' + path + "\": a parent is ephemeral"};
        case core::server_error::invalid_acl: return core::credentials_not_accepted();
        case core::server_error::quota_exceeded: return core::quota_exceeded(path);
        case core::server_error::not_read_only:
            return {errc::not_connected, path + ": the server is cut off from its majority"};
        default: return {errc::protocol, "a refusal to read or set " + path};
    }
}

// The semaphore's limit, and the number of permits that the contenders claim. The client lists the contenders after it
// has read the limit.
struct look {
    bool there = true;
    core::permit_limit limit;
    std::int32_t version = 0;
    std::int64_t taken = 0;
    std::uint64_t read_on = 0;  // number of the connection of the reads
};

result<look> look_at(client_impl& servers, const std::string& path, const query_options& options) {
    const auto answers = servers.read({core::get_op{path}, core::children_op{path}}, options);
    if (!answers) return answers.error();
    const auto& data = answers->front();
    if (data.error == core::server_error::no_node) return look{.there = false};
    for (const auto& answer : *answers)
        if (answer.error != core::server_error::ok) return refusal(answer.error, path);
    const auto limit = core::parse_limit(data.data);
    if (!limit) return core::no_semaphore(path, data.data);
    look seen{true, *limit, data.stat.version, 0, data.connection};
    for (const auto& child : answers->back().children) {
        const auto name = core::parse_contender(child);
        if (name && name->wants.kind == core::claim_kind::permit) seen.taken += name->wants.permits;
    }
    return seen;
}

result<look> look_at_existing(client_impl& servers, const std::string& path,
                              const query_options& options) {
    auto seen = look_at(servers, path, options);
    if (seen && !seen->there) return refusal(core::server_error::no_node, path);
    return seen;
}

// Returns the limit to write when `permits` replaces the present number of permits, `seen.limit.now`. Computes two
// members of the new limit:
// - `earlier`: how many permits the contenders may still hold. This is the larger of the present and the new number. If
//   the contenders claim more permits than the present number, an earlier decrease may not have taken effect yet. In
//   this case `earlier` is at least `seen.limit.earlier`.
// - `last`: the last contender that may hold permits under an earlier limit. If the number decreases, this contender is
//   unknown. If `earlier` equals `permits`, there is none, because no earlier limit has an effect. In all other cases
//   `last` is `seen.limit.last`.
core::permit_limit next_limit(const look& seen, std::int32_t permits) {
    auto earlier = std::max(seen.limit.now, permits);
    if (seen.taken > seen.limit.now) earlier = std::max(earlier, seen.limit.earlier);
    core::permit_limit limit{permits, earlier};
    if (permits >= seen.limit.now && earlier > permits) limit.last = seen.limit.last;
    return limit;
}

// Called after the limit `open` was written. Lists the contenders, finds the last contender that may still hold permits
// under the earlier limit, and adds this contender to the limit. If this step fails, `open` is valid nevertheless, and
// the first contender in the queue does this step later.
void settle(client_impl& servers, const std::string& path, const core::permit_limit& open,
            const core::permit_limit& before, const core::reply& set,
            const query_options& options) {
    const auto listed = servers.read({core::children_op{path}}, options);
    if (!listed || listed->front().error != core::server_error::ok) return;
    const auto found = core::settled_limit(open, before, listed->front().children);
    if (found == open) return;
    static_cast<void>(servers.write_at_version(
        core::set_op{path, core::limit_text(found), set.stat.version}, set.connection, options));
}

result<void> create(client_impl& servers, const std::string& path, std::int32_t permits,
                    const query_options& options) {
    std::vector<core::operation> creates;
    for (const auto& each : base::path_from_root(path))
        creates.emplace_back(core::create_op{
            each, each == path ? core::limit_text({permits, permits}) : std::string{},
            core::create_mode::persistent, servers.services().acl});
    const auto answers = servers.write_repeatedly(std::move(creates), options);
    if (!answers) return answers.error();
    // The result depends on the last answer, the answer for the semaphore itself. A refusal to create a parent that
    // exists does no harm.
    const auto outcome = answers->back().error;
    if (outcome == core::server_error::ok || outcome == core::server_error::node_exists) return {};
    for (const auto& answer : *answers)
        if (answer.error != core::server_error::ok &&
            answer.error != core::server_error::node_exists &&
            answer.error != core::server_error::no_node)
            return refusal(answer.error, path);
    if (answers->front().error == core::server_error::no_node)
        return servers.away_error({errc::no_chroot, path});
    return {};  // the servers have removed an empty parent: try again
}

}  // namespace

result<core::permit_limit> read_limit(client_impl& servers, const std::string& path,
                                      const query_options& options) {
    const auto seen = look_at_existing(servers, path, options);
    if (!seen) return seen.error();
    return seen->limit;
}

result<std::int32_t> free_permits(client_impl& servers, const std::string& path,
                                  const query_options& options) {
    const auto seen = look_at_existing(servers, path, options);
    if (!seen) return seen.error();
    return static_cast<std::int32_t>(std::max<std::int64_t>(0, seen->limit.now - seen->taken));
}

// Sets the number of permits. If the answer to a write is lost, the next round reads the limit first, and writes again
// only if the limit still differs.
result<void> store_limit(client_impl& servers, const std::string& path, std::int32_t permits,
                         query_options options) {
    options = with_deadline(std::move(options));
    for (int round = 0; round != k_most_rounds; ++round) {
        const auto seen = look_at(servers, path, options);
        if (!seen) return seen.error();
        if (!seen->there) {
            if (auto created = create(servers, path, permits, options); !created) return created;
            continue;  // another client may have created the folder with another number
        }
        const auto next = next_limit(*seen, permits);
        if (next == seen->limit) return {};
        const core::set_op write{path, core::limit_text(next), seen->version};
        const auto set = servers.write_at_version(write, seen->read_on, options);
        if (!set) return set.error();
        const auto outcome = set->error;
        if (outcome == core::server_error::ok && core::is_open(next))
            settle(servers, path, next, seen->limit, *set, options);
        if (outcome == core::server_error::ok) return {};
        if (outcome != core::server_error::bad_version && outcome != core::server_error::no_node)
            return refusal(outcome, path);
    }
    return error{errc::timeout,
                 path + ": other clients change the limit again and again; try again"};
}

}  // namespace turnstile::detail
