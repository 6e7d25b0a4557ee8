// SPDX-License-Identifier: Apache-2.0
// lock_reader: reads more contenders of one lock's queue than the regular reads of all locks do, for a user that views
// later pages of the queue.
//
// Requests within one second share a result, and only one queue is read at a time. A read that would send too many
// requests to the servers is refused.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "admin/http/rate_limit.hpp"
#include "admin/reading/survey_plan.hpp"
#include "turnstile/client.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

class lock_reader {
public:
    // The reader reads at most this number of contenders of a queue, and only counts the rest.
    static constexpr std::size_t k_deepest = 10'000;

    // `end`: a stop token that stops a read in progress.
    lock_reader(const client& servers, std::stop_token end, const reading_settings& settings);

    // Returns the locks at the path, with at most `most` contenders of each. Throws refusal: 429 too_many; 503 if the
    // servers fail.
    [[nodiscard]] std::vector<surveyed_lock> read(const std::string& path, std::size_t most);

private:
    struct reading {
        std::string path;
        std::size_t most = 0;
        boottime_clock::time_point at{};
        std::vector<surveyed_lock> locks;
    };
    [[nodiscard]] const reading* recent(const std::string& path, std::size_t most,
                                        boottime_clock::time_point now) const;
    void charge(std::size_t most, boottime_clock::time_point now);

    const client& servers_;
    const std::stop_token end_;
    std::mutex mutex_;
    rate_limit budget_;  // a token is a hundred requests
    std::list<reading> recent_;
};

}  // namespace turnstile::admin
