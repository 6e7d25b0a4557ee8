// SPDX-License-Identifier: Apache-2.0
// permit_reading: the number of a semaphore's permits, read after each list of its contenders.
//
// The limit was valid at the instant of a list if the list and the read of the limit show the same change (mzxid) of
// the folder's data. If there are very many holders, the first waiter watches the folder's children instead of each
// holder: one watch, which fires for each hold that ends and for each contender that comes.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class permit_reading {
public:
    [[nodiscard]] const std::optional<permit_limit>& limit() const noexcept { return limit_; }
    [[nodiscard]] bool reads() const noexcept { return static_cast<bool>(reading_); }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return reading_.is(id) || settling_.is(id);
    }
    // True if the semaphore's limit that was read last was valid at the instant of the latest list, or if no limit was
    // read.
    [[nodiscard]] bool is_of_the_list() const noexcept {
        return !limit_ || limit_mzxid_ == list_mzxid_;
    }
    // True if this waiter's lists must set a watch on the folder's children, because this waiter does not watch each
    // holder.
    [[nodiscard]] bool lists_with_watch() const noexcept { return by_children_; }
    [[nodiscard]] bool children_watched_on(std::uint64_t connection) const noexcept {
        return children_on_ == connection;
    }

    void read(contender_session& c, const std::string& folder);
    void apply_list(const reply& list);
    // `wanted` is the number of permits that the semaphore must have; nothing if any number is right.
    consequence on_answer(const std::string& folder, std::optional<std::int32_t> wanted,
                          const reply& answer);
    void watch_by_children(bool by_children) noexcept { by_children_ = by_children; }
    void children_watch_fired() noexcept { children_on_ = 0; }
    // Writes the number of the last holder under the earlier limit into the folder's data. After a limit was lowered,
    // some contenders may still hold permits under the earlier limit, and `children` shows the last of these
    // contenders. Every reader of the limit watches the data, and so learns of that holder. If the client may not write
    // the data, each reader lists the contenders itself and finds the holder, which costs requests.
    void settle(contender_session& c, const std::string& folder,
                const std::vector<std::string>& children);

    friend bool operator==(const permit_reading&, const permit_reading&) = default;

private:
    pending_ticket reading_;
    pending_ticket settling_;
    std::optional<permit_limit> limit_;  // read after the list
    std::int64_t list_mzxid_ = 0;        // mzxid of the folder's data at the time of the list
    std::int64_t limit_mzxid_ = 0;       // mzxid of the folder's data at the read of the limit
    std::int32_t limit_version_ = 0;
    bool by_children_ = false;
    std::uint64_t children_on_ = 0;  // connection with the watch on the children, until it fires
    // Identifies the latest limit that settle() has processed: the mzxid of the write that set this limit. settle()
    // processes each limit only once.
    std::optional<std::int64_t> settled_mzxid_;
};

}  // namespace turnstile::core
