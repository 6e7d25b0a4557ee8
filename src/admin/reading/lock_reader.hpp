// SPDX-License-Identifier: Apache-2.0
// lock_reader: one lock's queue, deeper than the surveys read it, for a person that turns its pages.
//
// What was read is given to all that ask within a second; one is read at a time; and when too many requests to the
// servers would come of it, it refuses.
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
    // Of one queue no more is read; the rest is counted.
    static constexpr std::size_t k_deepest = 10'000;

    // `end` ends a read that is under way.
    lock_reader(const client& servers, std::stop_token end, const reading_settings& settings);

    // The locks at the path, with so many contenders of each. Throws refusal: 429 too_many; 503 for what the servers say.
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
