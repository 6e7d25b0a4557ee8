// SPDX-License-Identifier: Apache-2.0
// request_batch: which requests of a session share a transaction.
//
// A transaction of a database behind a network takes two round trips, whatever it carries. A thousand requests with two
// round trips each would fill a session's queue for many seconds. So waiting requests are sent together:
//
// | batch         | requests                                                                                     |
// |---------------|----------------------------------------------------------------------------------------------|
// | writes        | writes, and plain lists of folders that an earlier write of the batch touches, and no later  |
// |               | write                                                                                        |
// | reads         | reads without a watch                                                                        |
// | watched reads | reads with a watch                                                                           |
//
// Each request is answered as if the transaction had executed each one separately, in the order of submission. A list
// is read at the end of the transaction. The rule for lists makes that equal: no write after the list changes its
// content.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/seam/seam.hpp"

namespace turnstile::sql {

// A batch of this weight locks a few hundredths of all stripes (stripes.hpp), for one round trip and some tens of
// milliseconds of the server. A request weighs 1, a multi as much as it has parts.
inline constexpr std::size_t k_most_together = 128;
// Bytes of paths and data. A larger request is sent alone.
inline constexpr std::size_t k_most_bytes_together = std::size_t{256} * 1024;

class request_batch {
public:
    // `most`: the largest weight. The first request always fits. Paths are the database's.
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
