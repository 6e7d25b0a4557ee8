// SPDX-License-Identifier: Apache-2.0
// permit_reading: reads the number of a semaphore's permits, the limit, each time that the contender has listed the
// semaphore's contenders.
//
// The limit is in the data of the semaphore's folder. Each answer contains the latest change of these data (mzxid). If
// the answers to the list and to the later read of the limit contain the same change, the limit was already valid when
// the servers made the list. If there are very many holders, the first waiter watches the folder's children instead of
// each holder: one watch, which fires for each hold that ends and for each contender that comes.
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
    // True if the number of permits that was read last was already valid when the servers made the latest list of
    // contenders, or if no number was read.
    [[nodiscard]] bool is_of_the_list() const noexcept {
        return !limit_ || limit_mzxid_ == list_mzxid_;
    }
    // True if this waiter must set a watch on the folder's children each time that it lists them, because it does not
    // watch each holder.
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
    // After a client has lowered the limit (the number of permits), some contenders may still hold permits under the
    // earlier limit, and `children` shows the last of these contenders. Writes this last holder's sequence number into
    // the folder's data. Every reader of the limit watches the data, and so learns of that holder. If the client may
    // not write the data, each reader lists the contenders itself and finds the holder, which costs requests.
    void settle(contender_session& c, const std::string& folder,
                const std::vector<std::string>& children);

    friend bool operator==(const permit_reading&, const permit_reading&) = default;

private:
    pending_ticket reading_;
    pending_ticket settling_;
    std::optional<permit_limit> limit_;  // read after the contenders were listed
    // The folder's mzxid when the contenders were listed.
    std::int64_t list_mzxid_ = 0;
    std::int64_t limit_mzxid_ = 0;  // the folder's mzxid when the limit was read
    std::int32_t limit_version_ = 0;
    bool by_children_ = false;
    std::uint64_t children_on_ = 0;  // connection with the watch on the children, until it fires
    // Identifies the latest limit that settle() has processed: the mzxid of the write that set this limit. settle()
    // processes each limit only once.
    std::optional<std::int64_t> settled_mzxid_;
};

}  // namespace turnstile::core
