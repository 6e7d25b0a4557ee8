// SPDX-License-Identifier: Apache-2.0
// renaming: gives a contender's znode another name. In this way a hold of a read-write lock changes its kind and keeps
// its position in the queue, and an upgrade moves to its other position (queue_rule.hpp).
//
// | state      | event that ends the state     | next state or result                                          |
// |------------|-------------------------------|---------------------------------------------------------------|
// | wanted     | send()                        | in progress                                                   |
// | in progress| the answer arrives            | done, refused, or wanted again                                |
// |            | the answer is lost            | unsure                                                        |
// | unsure     | our write changed our znode   | wanted: the rename was not and never will be carried out      |
// |            | our znode does not exist      | fenced: the next list of the folder shows the outcome         |
// |            | we may not write it           | fenced, but a list that has the old name shows no outcome     |
// | fenced     | a list on this connection     | done, or our znode is gone                                    |
// |            | a list that shows no outcome  | the session is replaced; its end removes the znode            |
//
// The client creates a znode with the new name and removes the old znode in one transaction. So the contender always
// has a position in the queue (F10 in docs/reference/failures.md), and both names are known beforehand.
//
// If the answer to the transaction is lost, a server may still have the transaction, and send it to the leader after
// our next requests (docs/why/mutex.md, step 2). So the rename may commit late. It requires the version that our znode
// had when the rename was sent. Therefore the contender writes its znode, which changes the version (a *fence*). If the
// rename was not carried out before this write, it never will be.
//
// Thread safety: none, a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/contender/answers.hpp"
#include "core/contender/contender_session.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// The contender's znode under its old name.
struct renamed_znode {
    const std::string& folder;
    std::string name;
    std::string data;
    std::int32_t& version;  // the version that we know; our writes change it
};

class renaming {
public:
    renaming() = default;
    explicit renaming(std::string name) : name_{std::move(name)} {}

    [[nodiscard]] bool is_wanted() const noexcept { return !name_.empty(); }
    [[nodiscard]] bool is_under_way() const noexcept { return static_cast<bool>(sent_); }
    [[nodiscard]] bool is_unsure() const noexcept { return unsure_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return sent_.is(id) || fencing_.is(id) || listing_.is(id);
    }

    void send(contender_session& c, const renamed_znode& own);
    // Sends the next request that finds the outcome of a rename whose answer was lost. Allowed only while is_unsure().
    void find_out(contender_session& c, const renamed_znode& own);
    // `done`: the znode has the new name. The consequences `refused` and `own_znode_gone` end the renaming.
    consequence on_answer(contender_session& c, const renamed_znode& own, const reply& answer);

    friend bool operator==(const renaming&, const renaming&) = default;

private:
    consequence on_sent(const renamed_znode& own, const reply& answer);
    consequence on_fenced(const renamed_znode& own, const reply& answer);
    consequence on_listed(contender_session& c, const renamed_znode& own, const reply& answer);

    std::string name_;  // the new name
    pending_ticket sent_;
    pending_ticket fencing_;
    pending_ticket listing_;
    std::uint64_t fenced_on_ = 0;  // connection of the latest write that stops an unanswered rename
    bool fence_refused_ = false;   // true: that write was forbidden; the rename may still commit
    bool unsure_ = false;          // true: the answer to the rename was lost
};

}  // namespace turnstile::core
