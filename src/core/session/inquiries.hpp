// SPDX-License-Identifier: Apache-2.0
// inquiries: reads and writes of callers that have no hold. The session sends each inquiry again until it is answered.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct inquiry {
    operation op;
    std::optional<time_point> deadline;
    std::uint64_t only_on = 0;  // the only connection on which it may be sent; 0: any
    bool under_way = false;
    friend bool operator==(const inquiry&, const inquiry&) = default;
};

class inquiries {
public:
    using map = std::map<inquiry_id, inquiry>;

    void add(inquiry_id id, operation op, std::optional<time_point> deadline,
             std::uint64_t only_on = 0) {
        TURNSTILE_CHECK(!contains(id));
        waiting_[id] = {std::move(op), deadline, only_on, false};
    }
    [[nodiscard]] bool contains(inquiry_id id) const { return waiting_.contains(id); }
    [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
    [[nodiscard]] std::vector<inquiry_id> ids() const {
        std::vector<inquiry_id> all;
        for (const auto& [id, inquiry] : waiting_) all.push_back(id);
        return all;
    }
    // An inquiry is a read or write of a caller without a hold. Returns true if the inquiry is not in progress, and its
    // member `only_on` allows only a connection other than `connection`.
    [[nodiscard]] bool is_too_late(inquiry_id id, std::uint64_t connection) const {
        const auto& found = waiting_.at(id);
        return !found.under_way && found.only_on != 0 && found.only_on != connection;
    }
    // Marks the inquiry (a read or write of a caller without a hold) as in progress, and returns its operation. Returns
    // nothing if it is in progress already.
    [[nodiscard]] std::optional<operation> begin(inquiry_id id) {
        auto& found = waiting_.at(id);
        if (std::exchange(found.under_way, true)) return std::nullopt;
        return found.op;
    }
    void lost(inquiry_id id) {
        TURNSTILE_CHECK(waiting_.at(id).under_way);
        waiting_.at(id).under_way = false;
    }
    // Called when the session has ended, which ends every request. Each inquiry may be sent again.
    void all_lost() {
        for (auto& [id, inquiry] : waiting_) inquiry.under_way = false;
    }
    [[nodiscard]] std::optional<inquiry> take(inquiry_id id) {
        auto found = waiting_.extract(id);
        return found ? std::optional{std::move(found.mapped())} : std::nullopt;
    }
    [[nodiscard]] map take_all() { return std::exchange(waiting_, {}); }

    friend bool operator==(const inquiries&, const inquiries&) = default;

private:
    map waiting_;
};

}  // namespace turnstile::core
