// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_errors.hpp"

#include "core/contender/state_queries.hpp"

namespace turnstile::core {

namespace {

// Returns a text like "1 contender ahead when last seen, the holder: web1, pid 12, since ...". If the only contender
// ahead is of the caller's own client, the text says so.
std::string line_of(std::size_t ahead, const contender_ahead* nearest) {
    auto text = std::to_string(ahead) + (ahead == 1 ? " contender ahead when last seen"
                                                    : " contenders ahead when last seen");
    if (nearest == nullptr) return text;
    const bool waits_for_itself = nearest->is_own && ahead == 1;
    if (waits_for_itself) text = "this client holds the lock already";
    if (nearest->claims.empty()) return text;
    if (!waits_for_itself) text += ahead == 1 ? ", the holder" : ", the nearest";
    return text + ": " + nearest->claims;
}

}  // namespace

error deadline_error(const session_owners& owners, const std::string& subject,
                     std::optional<std::size_t> ahead, const contender_ahead* nearest) {
    if (!owners.link.attached())
        return owners.epochs.away_error(subject, owners.link.session_id() == 0);
    const std::string from =
        owners.link.server() +
        (owners.requests.is_throttled() ? ", which throttles: it discards requests" : "");
    if (!ahead) return {errc::timeout, subject + ": no answer from " + from};
    if (*ahead == 0) {
        return {
            errc::timeout,
            subject + ": the waiter is first in line, but its lease was not confirmed by " + from};
    }
    return {errc::timeout, subject + ": " + line_of(*ahead, nearest)};
}

error deadline_error(const session_owners& owners, const contender_core& late) {
    if (!delay_end(late.current()))
        return deadline_error(owners, late.folder(), late.ahead(), nearest_ahead(late.current()));
    return {errc::timeout, late.folder() +
                               ": the waiter is first in line, but the lock delay after the crash "
                               "of a holder is not over"};
}

}  // namespace turnstile::core
