// SPDX-License-Identifier: Apache-2.0
// low_water_reading: the hand-over in a long queue by its low-water mark, at a cost that does not grow with the queue.
//
// | contender                                        | asks for                          | then              |
// |--------------------------------------------------|-----------------------------------|-------------------|
// | a waiter that has lost its nearest predecessor,  | the folder's data, and its own    | granted, if the   |
// | and saw a long queue in which more were ahead    | znode, which no list shows        | mark is not below |
// |                                                  |                                   | that predecessor; |
// |                                                  |                                   | or it lists       |
// | one that is, or was, the first, saw a long       | remove its znode and raise the    |                   |
// | queue and knows the version of the folder's data | mark in one transaction           |                   |
//
// A waiter that gives up raises no mark, nor do other libraries: then the next one lists, and goes on from there.
// low_water_mark.hpp has the mark itself. A value. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/contender_name.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class low_water_reading {
public:
    // A list tells the version of the folder's data, and whether there is any.
    void apply_list(const stat& folder, std::size_t children);
    // Another contender may have raised the mark since.
    void forget_version() noexcept { folder_version_.reset(); }

    [[nodiscard]] bool is_long(std::uint32_t long_queue) const noexcept {
        return listed_ >= long_queue;
    }
    [[nodiscard]] bool reads() const noexcept { return static_cast<bool>(reading_); }
    [[nodiscard]] bool expects(ticket id) const noexcept { return reading_.is(id); }
    // The data are empty or a mark, at a version that we know.
    [[nodiscard]] bool may_raise(std::uint32_t long_queue) const noexcept {
        return folder_version_ && is_long(long_queue);
    }
    // The request that raises the mark to our own number. Only while may_raise().
    [[nodiscard]] set_op raise(const std::string& folder, contender_family of,
                               std::int32_t own) const;

    // Reads the mark, after the predecessor with this number has gone.
    void read(contender_session& c, const std::string& folder, std::int32_t nearest);
    // `done`: no contender is ahead of our own number. Else a list is to tell.
    consequence on_answer(const reply& answer, contender_family of,
                          std::optional<std::int32_t> own);

    friend bool operator==(const low_water_reading&, const low_water_reading&) = default;

private:
    pending_ticket reading_;
    std::uint32_t listed_ = 0;                    // the children in the latest list
    std::int32_t nearest_ = 0;                    // the number of the predecessor that is gone
    std::optional<std::int32_t> folder_version_;  // of its data, while that is empty or a mark
};

}  // namespace turnstile::core
