// SPDX-License-Identifier: Apache-2.0
// notice: what the core tells about an acquisition, as plain data. The shell hands it to the caller that
// waits, to handlers and to callbacks.
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

// Each identifies one acquisition, one read or repeated write, or one commit of a session; none is used twice.
enum class acquisition_id : std::uint64_t {};
enum class inquiry_id : std::uint64_t {};
enum class commit_id : std::uint64_t {};
// What a caller waits for.
using awaited_id = std::variant<acquisition_id, inquiry_id, commit_id>;

struct entered {  // its place in the queue is taken: later contenders are behind it
    std::string znode;
    friend bool operator==(const entered&, const entered&) = default;
};
struct queued {  // its place became known
    std::size_t ahead = 0;
    friend bool operator==(const queued&, const queued&) = default;
};
struct granted {
    turnstile::fencing_token token;
    std::string znode;
    std::optional<boottime_clock::time_point> until{};  // by the holder's own limit
    friend bool operator==(const granted&, const granted&) = default;
};
struct failed {  // it will not be granted; clean-up may still be under way
    error why;
    friend bool operator==(const failed&, const failed&) = default;
};
struct at_risk {  // the connection is gone, the lease runs
    friend bool operator==(const at_risk&, const at_risk&) = default;
};
struct expiring {  // less than `warn_before` is left
    friend bool operator==(const expiring&, const expiring&) = default;
};
struct lost {  // a grant is over that was not released
    error why;
    friend bool operator==(const lost&, const lost&) = default;
};
struct asked_to_release {  // by an operator or a program; the hold stays until it is released
    std::string by;
    std::string why;
    friend bool operator==(const asked_to_release&, const asked_to_release&) = default;
};
struct contended {  // others queue behind a hold whose acquisition asked for that; told once
    friend bool operator==(const contended&, const contended&) = default;
};
struct renamed {  // the answer to `rename`: the hold goes on under another name, or as it was
    turnstile::fencing_token token;
    std::string znode;
    std::optional<error> refused;
    friend bool operator==(const renamed&, const renamed&) = default;
};
struct gone {  // nothing of it is left at the servers; the last word on this acquisition
    friend bool operator==(const gone&, const gone&) = default;
};

struct notice {
    acquisition_id id{};
    std::variant<entered, queued, granted, failed, at_risk, expiring, lost, asked_to_release,
                 contended, renamed, gone>
        event;
    friend bool operator==(const notice&, const notice&) = default;
};

// "granted 0x5 by /locks/a/_c_...": what it tells, for the log; without the acquisition.
[[nodiscard]] std::string notice_text(const notice& news);

}  // namespace turnstile::core
