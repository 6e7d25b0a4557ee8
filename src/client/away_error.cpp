// SPDX-License-Identifier: Apache-2.0
#include "client/away_error.hpp"

#include <string_view>

namespace turnstile::detail {
namespace {

// Removes the server's address from the cause's text if `servers` contains the address already. Otherwise the error
// would repeat it: "redis://a:6379 (a:6379: Connection refused)".
std::string_view without_server(std::string_view reason, const std::string& servers) {
    const auto end = reason.find(": ");
    const bool is_one = servers.find(',') == std::string::npos;
    if (is_one && end != std::string_view::npos &&
        servers.find(reason.substr(0, end)) != std::string::npos)
        reason.remove_prefix(end + 2);
    return reason;
}

}  // namespace

bool lacks_cause(const error& why) noexcept {
    return why == errc::not_connected || why == errc::auth_failed || why == errc::no_chroot;
}

error with_cause(const error& away, const std::string& servers, const std::optional<error>& cause) {
    if (!lacks_cause(away)) return away;
    if (away == errc::no_chroot) {
        auto detail = servers + (away.detail().empty() ? "" : ", for " + away.detail());
        // If the client has tried to create the chroot (client_options::create_chroot), the cause is the servers'
        // refusal.
        if (cause && !lacks_cause(*cause))
            return {cause->code(), detail.append(": ").append(cause->detail())};
        const bool has_command = !servers.starts_with("local:");
        return {away.code(), detail.append(has_command ? "; `turnstile mkdir /` or " : "; ")
                                 .append("client_options::create_chroot creates it")};
    }
    auto detail = away.detail().empty() ? servers : away.detail();
    if (!cause || cause->detail().empty()) return {away.code(), std::move(detail)};
    detail.append(" (").append(without_server(cause->detail(), servers)).append(")");
    return {away == errc::auth_failed ? errc::auth_failed : cause->code(), std::move(detail)};
}

}  // namespace turnstile::detail
