// SPDX-License-Identifier: Apache-2.0
// batch_size: limits the weight of a session's next batch of requests, by the times that earlier batches took. The
// weight is the number of requests, in which a request of several operations counts as several (request_batch.hpp).
//
// A batch locks its paths until it commits, and the other sessions' batches wait for these locks. If six sessions write
// at once, a batch may wait for five others. So a batch should take only a small part of the session timeout. A batch
// that takes longer halves the weight, and any other batch doubles it.
//
// Exception: a batch to a distant server takes long because of its round trips, and a smaller batch would take as long.
// So a batch halves the weight only if it is also several times slower than the fastest batch.
//
// Thread safety: a value, for one thread.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/seam/seam.hpp"
#include "sql/request_batch.hpp"

namespace turnstile::sql {

class batch_size {
public:
    explicit batch_size(core::duration session_timeout)
        : longest_{session_timeout / k_part_of_timeout} {}

    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    // Records a batch that was executed.
    void took(core::duration time) noexcept {
        fastest_ = std::min(fastest_, time);
        const bool is_long = time > longest_ && time / k_times_fastest > fastest_;
        most_ =
            is_long ? std::max<std::size_t>(most_ / 2, 1) : std::min(2 * most_, k_most_together);
    }
    // Records a batch that failed. The next batch has one request, so that a faulty request does not make other
    // requests fail.
    void failed() noexcept { most_ = 1; }

private:
    static constexpr int k_part_of_timeout = 20;
    static constexpr int k_times_fastest = 4;

    core::duration longest_;
    core::duration fastest_ = core::duration::max();
    std::size_t most_ = k_most_together;
};

}  // namespace turnstile::sql
