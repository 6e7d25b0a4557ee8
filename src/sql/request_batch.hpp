// SPDX-License-Identifier: Apache-2.0
// request_batch: decides which requests of a session share a transaction, and how many.
//
// A transaction takes two round trips, whether it executes one request or many. So the session executes waiting
// requests together. A list is a read of the children of a znode, the folder. A plain list sets no watch.
//
// | batch         | requests                                                                                     |
// |---------------|----------------------------------------------------------------------------------------------|
// | writes        | writes, and plain lists of folders that an earlier write of the batch changes, if no later   |
// |               | write of the batch changes the folder                                                        |
// | reads         | reads without a watch                                                                        |
// | watched reads | reads with a watch                                                                           |
//
// Each request gets the same answer, in the same order, as in separate transactions. The transaction reads the folders'
// children at its end. That is right: no write that follows a list in the batch changes the listed folder.
//
//     batch_size   limits the number of requests in a batch
//
// Thread safety: none. The objects are values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "core/seam/seam.hpp"

namespace turnstile::sql {

// The largest weight of a batch. A request weighs 1, and a multi (several operations in one request) weighs the number
// of its parts. The limit bounds how many paths a batch locks (stripes.hpp) and for how long.
inline constexpr std::size_t k_most_together = 128;
// The largest number of bytes in a batch's paths and data. The session sends a larger request alone.
inline constexpr std::size_t k_most_bytes_together = std::size_t{256} * 1024;

class request_batch {
public:
    // Returns true if `next` may join the batch; the first request always may. `most`: the largest weight of the batch
    // (its number of operations). Paths include the chroot.
    [[nodiscard]] bool takes(const core::operation& next, std::size_t most) const;
    void add(const core::operation& op);

private:
    enum class content { nothing, writes, reads, watched_reads };

    [[nodiscard]] bool takes_read(const core::operation& next) const;
    [[nodiscard]] bool takes_write(const core::operation& next) const;

    content content_ = content::nothing;
    std::size_t weight_ = 0;
    std::size_t bytes_ = 0;
    std::set<std::string> touched_;
    std::set<std::string> listed_;
};

// Limits the weight of a session's next batch of requests, by the times that earlier batches took. The weight is the
// number of requests, in which a request of several operations counts as several (request_batch).
//
// A batch locks its paths until it commits, and the other sessions' batches wait for these locks. If six sessions write
// at once, a batch may wait for five others. So a batch should take only a small part of the session timeout. A batch
// that takes longer halves the weight, and any other batch doubles it.
//
// Exception: a batch to a distant server takes long because of its round trips, and a smaller batch would take as long.
// So a batch halves the weight only if it is also several times slower than the fastest batch.
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
