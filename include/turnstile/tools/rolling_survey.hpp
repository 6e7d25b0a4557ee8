// SPDX-License-Identifier: Apache-2.0
// rolling_survey: all locks below a folder, read again and again, with a limited number of requests each time.
//
// Use it for a page or an exporter that shows many locks all the time. locks_below() reads everything on each call; a
// round of this survey reads a part.
//
//     turnstile::rolling_survey locks{servers, "/"};
//     while (!shutdown.stop_requested()) {
//         const auto round = locks.go_on({.most_requests = 2'000});
//         if (round) show(locks.survey());
//         wait_a_second();
//     }
//
// A round first reads unknown data: the folders, then the first contender of each queue, then the second ones, and so
// on. It uses the rest of its requests for data that may have changed. First come the folders that were listed longest
// ago, where folders whose queues changed in the last rounds have eight times as many turns. Then comes the data of
// contenders' znodes. If there are few locks, each round reads all of them.
//
// The results for different locks are of different instants, at most survey_round::oldest ago. A contender appears as a
// holder or a waiter after it and all contenders ahead of it have been read. Until then it is only counted.
//
// Thread safety: one thread at a time. The client must outlive the survey.
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

// The options of a round.
struct round_options {
    std::size_t most_requests = 2'000;  // limit of the requests of this round; at least 1
    // Locks that are being viewed. Each round reads them.
    std::vector<std::string> first{};
    wait_limit timeout{};    // for the whole round; default: the session timeout for each request
    std::stop_token stop{};  // ends the round with `cancelled`
};

// The result of a round.
struct survey_round {
    std::size_t requests = 0;  // requests that the round sent
    std::size_t unlisted = 0;  // known folders that were never listed
    std::size_t unread = 0;    // contenders that are listed, and to be read, but not read yet
    bool complete = false;     // this round alone read everything
    // Time since the oldest listing of a folder.
    std::chrono::milliseconds oldest{};
};

// A survey of one folder.
class TURNSTILE_EXPORT rolling_survey {
public:
    // Starts a survey that reads up to `most_read` contenders of all queues together, the first ones of each. The
    // others are only counted.
    rolling_survey(const client& servers, std::string_view folder, std::size_t most_read = 40'000);
    ~rolling_survey();
    rolling_survey(rolling_survey&&) noexcept;
    rolling_survey& operator=(rolling_survey&&) noexcept;
    rolling_survey(const rolling_survey&) = delete;
    rolling_survey& operator=(const rolling_survey&) = delete;

    // Runs the next round. The first round lists folders and reads no contender, so that a first result is available
    // soon. Errors: the errors of locks_below(), and `bad_option` (no request allowed). After an error the earlier
    // results remain.
    [[nodiscard]] result<survey_round> go_on(const round_options& options = {});
    // Takes a timeout or a deadline in place of options: go_on(2s).
    template <waiting_time W>
    [[nodiscard]] result<survey_round> go_on(const W& limit) {
        return go_on({.timeout = limit});
    }

    // Returns what is known now.
    [[nodiscard]] lock_survey survey() const;

private:
    class inside;
    detail::owned<inside> inside_;
};

}  // namespace turnstile
