// SPDX-License-Identifier: Apache-2.0
// rolling_survey: all locks below a folder, looked at again and again, each time with a bounded number of requests.
//
//     turnstile::rolling_survey locks{servers, "/"};
//     while (!shutdown.stop_requested()) {
//         const auto round = locks.go_on({.most_requests = 2'000});
//         if (round) show(locks.survey());
//         wait_a_second();
//     }
//
// Where locks_below() reads everything each time, a round asks for what is not known yet: folders first, then the first
// contender of each queue before the second of any. What is left of its requests goes in turns to what may have changed:
// folders that were listed longest ago, those whose queues changed in the last rounds eight times as soon; then what the
// znodes of contenders say. Few locks are all looked at in each round.
//
// What is said of different locks is of different instants, survey_round::oldest ago at the most. A contender is listed
// as a holder or a waiter once it and all ahead of it have been read; until then it is counted.
//
// Thread safety: one thread at a time. The client has to outlive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

struct round_options {
    std::size_t most_requests = 2'000;  // at least 1
    std::vector<std::string> first{};   // locks that somebody looks at: their turn is in each round
    wait_limit timeout{};    // for the whole round; default: the session time-out for each request
    std::stop_token stop{};  // ends the round with `cancelled`
};

// What a round came to.
struct survey_round {
    std::size_t requests = 0;  // those that it asked for
    std::size_t unlisted = 0;  // folders that are known of and were never listed
    std::size_t unread = 0;    // contenders that were listed and not read, of those that are to be
    bool complete = false;     // everything was looked at in this very round
    std::chrono::milliseconds
        oldest{};  // since the folder was asked for that was listed longest ago
};

class TURNSTILE_EXPORT rolling_survey {
public:
    // Of all queues together `most_read` contenders are read, the first of each; the others are counted.
    rolling_survey(const client& servers, std::string_view folder, std::size_t most_read = 40'000);
    ~rolling_survey();
    rolling_survey(rolling_survey&&) noexcept;
    rolling_survey& operator=(rolling_survey&&) noexcept;
    rolling_survey(const rolling_survey&) = delete;
    rolling_survey& operator=(const rolling_survey&) = delete;

    // The next round. The first one lists folders and reads no contender, so that there is something to see soon.
    // Errors: those of locks_below(), and bad_option (no request allowed); what was learned before stays.
    [[nodiscard]] result<survey_round> go_on(const round_options& options = {});

    // What is known now.
    [[nodiscard]] lock_survey survey() const;

private:
    class inside;
    detail::owned<inside> inside_;
};

}  // namespace turnstile
