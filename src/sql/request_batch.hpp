// SPDX-License-Identifier: Apache-2.0
// request_batch: which requests of a session go in one transaction.
//
// A transaction of a database behind a network takes two trips, whatever it carries. A thousand requests that each take
// two trips keep a session's queue full for many seconds. So requests that wait together travel together:
//
// | batch         | requests                                                                                     |
// |---------------|----------------------------------------------------------------------------------------------|
// | writes        | writes, and plain lists of folders that an earlier write of the batch touches and no later   |
// |               | one does                                                                                     |
// | reads         | reads without a watch                                                                        |
// | watched reads | reads with a watch                                                                           |
//
// Each request is answered as if the transaction had carried it out by itself, in the order of submission. A list is
// read at the end of the transaction. The rule for lists makes that the same: no write behind the list changes what it
// shows.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/seam/seam.hpp"

namespace turnstile::sql {

// A batch of this weight locks a few hundredths of all stripes (stripes.hpp), for one trip and some tens of
// milliseconds of the server. A request weighs 1, a multi as much as it has parts.
inline constexpr std::size_t k_most_together = 128;
// Bytes of paths and data. A larger request goes alone.
inline constexpr std::size_t k_most_bytes_together = std::size_t{256} * 1024;

class request_batch {
public:
    // `most`: the greatest weight. The first request is always taken. Paths are those of the database.
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
