// SPDX-License-Identifier: Apache-2.0
// request_batch: decides which requests of a session share a transaction.
//
// On a database server a transaction takes two round trips, for one request or for many. A thousand separate requests
// would occupy a session for many seconds. So the session sends waiting requests together:
//
// | batch         | requests                                                                                     |
// |---------------|----------------------------------------------------------------------------------------------|
// | writes        | writes, and plain lists of folders that an earlier write of the batch changes, if no later   |
// |               | write of the batch changes the folder                                                        |
// | reads         | reads without a watch                                                                        |
// | watched reads | reads with a watch                                                                           |
//
// Each request gets the answer that it would get in a separate transaction, in the order of submission. The transaction
// reads the lists at its end. The answers are still right, because no write after a list in the batch changes the list.
//
// Thread safety: none. A request_batch is a value.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/seam/seam.hpp"

namespace turnstile::sql {

// The largest weight of a batch. A request weighs 1, and a multi as many as it has parts. Such a batch locks a few
// hundredths of all stripes (stripes.hpp), for one round trip and some tens of milliseconds of the server.
inline constexpr std::size_t k_most_together = 128;
// The largest number of bytes in the paths and data of a batch. The session sends a larger request alone.
inline constexpr std::size_t k_most_bytes_together = std::size_t{256} * 1024;

class request_batch {
public:
    // True if `next` may be added. The first request always may. `most`: the largest weight of the batch. Paths include
    // the chroot.
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

}  // namespace turnstile::sql
