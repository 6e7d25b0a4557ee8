// SPDX-License-Identifier: Apache-2.0
// low_water_reading: in a long queue, the next holder reads the folder's low-water mark instead of a list of children.
// This mark is a number in the folder's data: every contender with this number or a lower number has left. So the cost
// of a hand-over does not depend on the length of the queue.
//
// | contender                                        | request                           | result            |
// |--------------------------------------------------|-----------------------------------|-------------------|
// | a waiter that has lost its nearest predecessor,  | get the folder's data, and the    | granted, if the   |
// | and saw a long queue with more contenders ahead  | waiter's own znode                | mark reaches that |
// |                                                  |                                   | predecessor; else |
// |                                                  |                                   | it lists children |
// | a contender that is or was the first, saw a long | remove its znode and raise the    | later contenders  |
// | queue and knows the version of the folder's data | mark in one transaction           | can use the mark  |
//
// A waiter that gives up raises no mark, and other libraries raise none. Then the next contender behind lists the
// folder, and raises the mark again later. znode_texts.hpp has the mark itself.
//
// Thread safety: none, a value.
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
    // Stores the number of children. Also stores the version of the folder's data, if the data are empty or have not
    // changed since they were read.
    void apply_list(const stat& folder, std::size_t children);
    // Called when another contender may have raised the low-water mark: the number in the folder's data up to which all
    // contenders have left.
    void forget_version() noexcept { folder_version_.reset(); }

    [[nodiscard]] bool is_long(std::uint32_t long_queue) const noexcept {
        return listed_ >= long_queue;
    }
    [[nodiscard]] bool reads() const noexcept { return static_cast<bool>(reading_); }
    [[nodiscard]] bool expects(ticket id) const noexcept { return reading_.is(id); }
    // True if the queue is long, the folder's data are empty or a low-water mark (znode_texts.hpp), and we know the
    // version of these data.
    [[nodiscard]] bool may_raise(std::uint32_t long_queue) const noexcept {
        return folder_version_ && is_long(long_queue);
    }
    // Returns the operation that writes our own number as the low-water mark into the folder's data: all contenders up
    // to this number have left. Allowed only while may_raise().
    [[nodiscard]] set_op raise(const std::string& folder, contender_family of,
                               std::int32_t own) const;

    // Reads the low-water mark, the number up to which all contenders have left. Called after the predecessor with the
    // number `nearest` has gone.
    void read(contender_session& c, const std::string& folder, std::int32_t nearest);
    // Returns `done` if no contender is ahead of our own number. Otherwise the contender must list the folder.
    consequence on_answer(const reply& answer, contender_family of,
                          std::optional<std::int32_t> own);

    friend bool operator==(const low_water_reading&, const low_water_reading&) = default;

private:
    pending_ticket reading_;
    std::uint32_t listed_ = 0;  // number of children in the latest list
    std::int32_t nearest_ = 0;  // number of the predecessor that is gone
    // The version of the folder's data if the data were empty or a low-water mark (znode_texts.hpp) when they were
    // read last. Otherwise there is no value.
    std::optional<std::int32_t> folder_version_;
};

}  // namespace turnstile::core
