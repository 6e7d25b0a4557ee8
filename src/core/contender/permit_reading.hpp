// SPDX-License-Identifier: Apache-2.0
// permit_reading: how many permits a semaphore has, read behind each list of its contenders.
//
// If the list saw the same data of the folder, then that was the limit at the instant of the list, at which our own
// znode stood, too. Of very many holders the first in line watches the folder's children instead of each of them: one
// watch, whose event comes with each hold that ends, and with each that comes.
//
// A value. Thread safety: none.
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
    // The limit was that at the instant of the list, or there is none.
    [[nodiscard]] bool is_of_the_list() const noexcept {
        return !limit_ || limit_mzxid_ == list_mzxid_;
    }
    // Lists are to set a watch, since the holders are not watched one by one.
    [[nodiscard]] bool lists_with_watch() const noexcept { return by_children_; }
    [[nodiscard]] bool children_watched_on(std::uint64_t connection) const noexcept {
        return children_on_ == connection;
    }

    void read(contender_session& c, const std::string& folder);
    void apply_list(const reply& list);
    // `wanted`: how many permits there must be; none: whatever there are. An answer to a settling goes on.
    consequence on_answer(const std::string& folder, std::optional<std::int32_t> wanted,
                          const reply& answer);
    void watch_by_children(bool by_children) noexcept { by_children_ = by_children; }
    void children_watch_fired() noexcept { children_on_ = 0; }
    // After a limit was lowered, some contenders may still hold permits under the old one. This list shows the last of
    // them, and a request writes its name into the folder's data. Every reader of the limit watches these data, and so
    // learns the name. A client without the right to write leaves the data alone: each reader then works the name out
    // from lists of its own, which costs requests.
    void settle(contender_session& c, const std::string& folder,
                const std::vector<std::string>& children);

    friend bool operator==(const permit_reading&, const permit_reading&) = default;

private:
    pending_ticket reading_;
    pending_ticket settling_;
    std::optional<permit_limit> limit_;  // as read after the list
    std::int64_t list_mzxid_ = 0;        // of the folder's data: when it was listed,
    std::int64_t limit_mzxid_ = 0;       // and when the limit was read
    std::int32_t limit_version_ = 0;
    bool by_children_ = false;                   // watches none of the holders ahead
    std::uint64_t children_on_ = 0;              // the connection of that watch, until it fires
    std::optional<std::int64_t> settled_mzxid_;  // of a limit that it tried to settle
};

}  // namespace turnstile::core
