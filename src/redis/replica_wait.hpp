// SPDX-License-Identifier: Apache-2.0
// replica_wait: asks a server how many replicas have acknowledged a session's writes, and checks that number.
//
// Thread safety: a value that does not change after its construction.
#pragma once

#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/seam.hpp"

namespace turnstile::redis {

class replica_wait {
public:
    // `replicas`: the number of replicas that must acknowledge each write; 0: none.
    replica_wait(int replicas, core::duration session_timeout)
        : replicas_{replicas},
          count_{std::to_string(replicas)},
          patience_{std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::min<core::duration>(session_timeout / 3, k_longest))
                                       .count())} {}

    [[nodiscard]] bool is_needed() const noexcept { return replicas_ != 0; }
    [[nodiscard]] std::vector<std::string_view> command() const {
        return {"WAIT", count_, patience_};
    }
    [[nodiscard]] bool accepts(const redisReply& count) const noexcept {
        return count.type == REDIS_REPLY_INTEGER && count.integer >= replicas_;
    }
    // The reason for leaving the server after accepts() has returned false.
    [[nodiscard]] std::string refusal() const {
        return "fewer than " + count_ + " replicas have acknowledged the last write";
    }

private:
    static constexpr core::duration k_longest = std::chrono::seconds{2};

    const int replicas_;
    const std::string count_;
    const std::string patience_;  // in milliseconds
};

}  // namespace turnstile::redis
