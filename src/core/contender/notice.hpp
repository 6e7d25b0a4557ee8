// SPDX-License-Identifier: Apache-2.0
// notice: an event of a contender that the client reports to its caller, as plain data. The client passes it to the
// waiting thread, to handlers and to callbacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile::core {

// Ids of a session's contenders, of its inquiries (reads and writes of callers that have no hold), and of its commits.
// No id is used twice.
enum class contender_id : std::uint64_t {};
enum class inquiry_id : std::uint64_t {};
enum class commit_id : std::uint64_t {};
// The id of the request for whose result a caller waits.
using awaited_id = std::variant<contender_id, inquiry_id, commit_id>;

struct entered {  // the contender has its position: later contenders are behind it
    std::string znode;
    friend bool operator==(const entered&, const entered&) = default;
};
struct position_known {  // the contender's position became known
    std::size_t ahead = 0;
    friend bool operator==(const position_known&, const position_known&) = default;
};
struct granted {
    turnstile::fencing_token token;
    std::string znode;
    std::optional<boottime_clock::time_point> until{};  // the end by the holder's own limit
    friend bool operator==(const granted&, const granted&) = default;
};
struct failed {  // no grant will come; the clean-up may still be in progress
    error why;
    friend bool operator==(const failed&, const failed&) = default;
};
struct at_risk {  // the connection has ended, and the lease runs
    friend bool operator==(const at_risk&, const at_risk&) = default;
};
struct expiring {  // less than `warn_before` is left
    friend bool operator==(const expiring&, const expiring&) = default;
};
struct lost {  // a grant ended without a release
    error why;
    friend bool operator==(const lost&, const lost&) = default;
};
struct asked_to_release {  // by an operator or a program; the hold stays until its release
    std::string by;
    std::string why;
    friend bool operator==(const asked_to_release&, const asked_to_release&) = default;
};
// Another contender queues behind the hold. Reported once, and only if contender_settings::tells_contended is set.
struct contended {
    friend bool operator==(const contended&, const contended&) = default;
};
struct renamed {  // the answer to `rename`: the hold goes on under another name, or unchanged
    turnstile::fencing_token token;
    std::string znode;
    std::optional<error> refused;
    friend bool operator==(const renamed&, const renamed&) = default;
};
struct gone {  // the servers have no znode of the contender any more; the contender's last notice
    friend bool operator==(const gone&, const gone&) = default;
};

struct notice {
    contender_id id{};
    std::variant<entered, position_known, granted, failed, at_risk, expiring, lost,
                 asked_to_release, contended, renamed, gone>
        event;
    friend bool operator==(const notice&, const notice&) = default;
};

// Returns a text of the event for the log, like "granted 0x5 by /locks/a/_c_...". The contender's id is not in the
// text.
[[nodiscard]] std::string notice_text(const notice& news);

}  // namespace turnstile::core
