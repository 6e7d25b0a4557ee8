// SPDX-License-Identifier: Apache-2.0
#include "redis/orphan.hpp"

#include <fmt/core.h>
#include <hiredis/hiredis.h>

#include <utility>

#include "redis/connect_string.hpp"
#include "redis/handshake.hpp"
#include "redis/master_search.hpp"
#include "redis/requests.hpp"
#include "support/descriptor.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {
namespace {

struct end_attempt {
    bool over = false;  // the session has ended, or the server does not have it
    std::optional<server_address> moved_to{};
    std::string reason{};
};

class orphan_end {
public:
    orphan_end(const redis_address& where, const modules::orphaned_session& which,
               const tls::context* tls, core::time_point until)
        : where_{where}, which_{which}, tls_{tls}, until_{until} {}

    [[nodiscard]] end_attempt at(const server_address& server) const {
        line to{server, tls_, support::k_no_descriptor};
        const auto welcomed = greet(to, where_, until_, support::k_no_descriptor);
        if (welcomed.moved_to) return {.moved_to = welcomed.moved_to};
        if (welcomed.result != welcome::ok) return {.reason = welcomed.reason};
        const auto reply = ask_to_close(to, welcomed);
        if (!reply) return {.reason = to.reason()};
        if (reply->type == REDIS_REPLY_ERROR)
            return {.reason = refused_by("the end of a session", *reply).reason};
        return {.over = true};
    }

private:
    [[nodiscard]] owned_reply ask_to_close(line& to, const greeting& welcomed) const {
        const auto prefix = key_prefix(where_);
        const auto znodes = znodes_key(prefix);
        const auto deadlines = deadlines_key(prefix);
        const auto session = std::to_string(which_.id);
        const auto& digest = welcomed.digests.at(static_cast<std::size_t>(script::close));
        // "0" and "": this script uses neither the timeout nor the identity.
        return to.ask(
            {"EVALSHA", digest, "2", znodes, deadlines, prefix, session, which_.proof, "0", ""},
            until_, support::k_no_descriptor);
    }

    const redis_address& where_;
    const modules::orphaned_session& which_;
    const tls::context* tls_;
    const core::time_point until_;
};

}  // namespace

result<void> end_orphan(const modules::orphaned_session& which, core::time_point until) {
    const auto where = parse_connect_string(which.connect_string);
    if (!where) return where.error();
    const auto trusted = make_tls_context(where->tls);
    if (!trusted) return trusted.error();
    sentinel_inquiries sentinels;
    const auto found =
        find_servers(*where, trusted->get(), until, support::k_no_descriptor, 0, sentinels);
    std::string reason = found.reason;
    const orphan_end end{*where, which, trusted->get(), until};
    for (const auto& server : found.candidates) {
        auto got = end.at(server);
        // A cluster node without the tree's keys names the node that has them.
        if (const auto further = got.moved_to) got = end.at(*further);
        if (got.over) return {};
        reason = fmt::format("{}: {}", to_string(server), got.reason);
    }
    return error{errc::not_connected, std::move(reason)};
}

}  // namespace turnstile::redis
