// SPDX-License-Identifier: Apache-2.0
// permit_reading: the number of a semaphore's permits, read behind each list of its contenders.
//
// If the list saw the same version of the folder's data, the limit was valid at the instant of the list, when our own
// znode existed as well. If there are very many holders, the first waiter watches the folder's children instead of each
// holder: a single watch, which fires for each hold that ends and for each contender that comes.
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
    // True if the limit was valid at the instant of the list, or if there is none.
    [[nodiscard]] bool is_of_the_list() const noexcept {
        return !limit_ || limit_mzxid_ == list_mzxid_;
    }
    // True if lists must set a watch, since the holders are not watched one by one.
    [[nodiscard]] bool lists_with_watch() const noexcept { return by_children_; }
    [[nodiscard]] bool children_watched_on(std::uint64_t connection) const noexcept {
        return children_on_ == connection;
    }

    void read(contender_session& c, const std::string& folder);
    void apply_list(const reply& list);
    // `wanted`: the number of permits that there must be; none: any number. After the answer to a settling it goes on.
    consequence on_answer(const std::string& folder, std::optional<std::int32_t> wanted,
                          const reply& answer);
    void watch_by_children(bool by_children) noexcept { by_children_ = by_children; }
    void children_watch_fired() noexcept { children_on_ = 0; }
    // After a limit was lowered, some contenders may still hold permits under the old one. This list shows the last of
    // them, and a request writes its name into the folder's data. Every reader of the limit watches these data, and so
    // learns the name. A client without the right to write leaves the data alone: each reader then lists the
    // contenders itself and works the name out, which costs requests.
    void settle(contender_session& c, const std::string& folder,
                const std::vector<std::string>& children);

    friend bool operator==(const permit_reading&, const permit_reading&) = default;

private:
    pending_ticket reading_;
    pending_ticket settling_;
    std::optional<permit_limit> limit_;  // read after the list
    std::int64_t list_mzxid_ = 0;        // mzxid of the folder's data when it was listed
    std::int64_t limit_mzxid_ = 0;       // mzxid of the folder's data when the limit was read
    std::int32_t limit_version_ = 0;
    // Watch the folder's children instead of the holders.
    bool by_children_ = false;
    std::uint64_t children_on_ = 0;  // the connection of that watch, until it fires
    // Mzxid of a limit that this contender tried to settle.
    std::optional<std::int64_t> settled_mzxid_;
};

}  // namespace turnstile::core
