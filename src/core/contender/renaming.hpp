// SPDX-License-Identifier: Apache-2.0
// renaming: gives a contender another name at the same position: a read-write hold of another kind, or an upgrade.
//
// | state      | ends when                     | then                                                          |
// |------------|-------------------------------|---------------------------------------------------------------|
// | wanted     | send()                        | in progress                                                   |
// | in progress| the answer is there           | done, refused, or wanted again                                |
// |            | the answer is lost            | unsure                                                        |
// | unsure     | our write changed our znode   | wanted: the lost rename was not and will not be carried out   |
// |            | our znode does not exist      | fenced: a list decides                                        |
// |            | we may not write it           | fenced, but a list with the old name decides nothing          |
// | fenced     | a list of this connection     | done, or our znode is gone                                    |
// |            | a list that decides nothing   | the session is replaced; its end removes the znode            |
//
// A transaction creates a znode of the other kind with the same number and removes the old znode, so the position in
// the queue is never empty (F10). Both names are known beforehand. A rename whose answer was lost may commit late, as a create may
// (docs/why/mutex.md, 2.): a server may still have it, and forward it after our next requests. The rename requires the
// version of our znode at the time of its sending. Once that version has changed, the rename was not carried out and
// never will be. So a write of our own settles the question.
//
// A value. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/contender/consequence.hpp"
#include "core/contender/contender_session.hpp"
#include "core/seam/pending_ticket.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// The znode under its old name.
struct renamed_znode {
    const std::string& folder;
    std::string name;
    std::string data;
    std::int32_t& version;  // the version that we know; a fence changes it
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
    // Finds the outcome of a lost rename with one request after the other. Allowed only while it is unsure.
    void find_out(contender_session& c, const renamed_znode& own);
    // `done`: the znode has the new name. `refused` and `own_znode_gone` end the renaming.
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
    std::uint64_t fenced_on_ = 0;  // the connection on which a fence has shown that a list decides
    bool fence_refused_ = false;   // that fence was forbidden: the lost rename may still commit
    bool unsure_ = false;          // the answer was lost
};

}  // namespace turnstile::core
