// SPDX-License-Identifier: Apache-2.0
// rolling_survey: reads all locks below a folder again and again, in rounds with a limited number of requests.
//
// Use it for a page or an exporter that always shows many locks. locks_below() reads everything in each call; a round
// of this survey reads a part.
//
//     turnstile::rolling_survey locks{servers, "/"};
//     while (!shutdown.stop_requested()) {
//         const auto round = locks.go_on({.most_requests = 2'000});
//         if (round) show(locks.survey());
//         wait_a_second();
//     }
//
// A round first reads data that is not known yet: the folders, then the first contender of each queue, then the second
// contender of each queue, and so on. With the rest of its requests it reads known data again. First it lists folders
// again, beginning with the oldest results; folders whose queues changed in the last rounds are listed eight times as
// often. Finally the round reads the data of contenders' znodes again. If there are few locks, each round reads all of
// them.
//
// The results for different locks were true at different instants, at most survey_round::oldest ago. A contender
// appears as a holder or a waiter when the survey has read it and all contenders ahead of it. Until then the survey
// only counts it.
//
// Thread safety: one thread at a time may use a survey. The client must outlive the survey.
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

// The options of one call of rolling_survey::go_on().
struct round_options {
    std::size_t most_requests = 2'000;  // largest number of requests in this round; at least 1
    // Paths of locks that every round reads, for example the locks that a user is looking at.
    std::vector<std::string> first{};
    wait_limit timeout{};    // for the whole round; default: the session timeout for each request
    std::stop_token stop{};  // ends the round with `cancelled`
};

// The result of one call of rolling_survey::go_on().
struct survey_round {
    std::size_t requests = 0;  // requests that the round sent
    std::size_t unlisted = 0;  // known folders that were never listed
    std::size_t unread = 0;    // listed contenders that later rounds will read
    bool complete = false;     // true if this round read everything
    // Age of the oldest list of a folder's children.
    std::chrono::milliseconds oldest{};
};

// Reads all locks below one folder again and again, in rounds with a limited number of requests.
class TURNSTILE_EXPORT rolling_survey {
public:
    // Makes a survey of `folder`. It reads at most `most_read` contenders in all queues together, from the head of each
    // queue, and only counts the others.
    rolling_survey(const client& servers, std::string_view folder, std::size_t most_read = 40'000);
    ~rolling_survey();
    rolling_survey(rolling_survey&&) noexcept;
    rolling_survey& operator=(rolling_survey&&) noexcept;
    rolling_survey(const rolling_survey&) = delete;
    rolling_survey& operator=(const rolling_survey&) = delete;

    // Runs the next round, which sends at most `most_requests` requests. The first round lists folders and reads no
    // contender, so that a first result is available soon. Errors: the errors of locks_below(), and `bad_option`
    // (`most_requests` is 0). After an error the earlier results remain.
    [[nodiscard]] result<survey_round> go_on(const round_options& options = {});
    // Takes a timeout or a deadline in place of options: go_on(2s).
    template <waiting_time W>
    [[nodiscard]] result<survey_round> go_on(const W& limit) {
        return go_on({.timeout = limit});
    }

    // Returns the locks as the survey knows them now.
    [[nodiscard]] lock_survey survey() const;

private:
    class inside;
    detail::owned<inside> inside_;
};

}  // namespace turnstile
