// SPDX-License-Identifier: Apache-2.0
// renaming: a contender goes on under another name in its place: a read-write hold of another kind, or an upgrade.
//
// | state      | is left when                  | to                                                            |
// |------------|-------------------------------|---------------------------------------------------------------|
// | wanted     | send()                        | under way                                                     |
// | under way  | the answer is there           | done, refused, wanted again                                   |
// |            | the answer is lost            | unsure                                                        |
// | unsure     | our write changed our znode   | wanted: the lost rename has not been carried out, and will not|
// |            | our znode is not there        | fenced: a list tells                                          |
// |            | we may not write it           | the same, but a list that still has the old name tells nothing|
// | fenced     | a list of this connection     | done, or our znode is gone                                    |
// |            | that tells nothing            | the session is replaced, and with it goes whichever name      |
//
// One transaction puts a contender of another kind in our place, with our number, and removes the old one: at no
// instant is the place empty (F10). Both names are known beforehand. A rename whose answer was lost may commit late,
// as a create may (docs/why/mutex.md, 2.): a server can have it still, and send it on behind whatever we ask now. It
// carries the version of our znode as it knew it: once that has changed it has not been carried out and never will
// be. So a write of our own finds it out.
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

// The znode as it is called before.
struct renamed_znode {
    const std::string& folder;
    std::string name;
    std::string data;
    std::int32_t& version;  // as we know it: a fence changes it
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
    // Finds out what became of it, by one request after the other. Only while it is unsure.
    void find_out(contender_session& c, const renamed_znode& own);
    // `done`: the znode has the new name. `refused` ends it, `own_znode_gone` too.
    consequence on_answer(contender_session& c, const renamed_znode& own, const reply& answer);

    friend bool operator==(const renaming&, const renaming&) = default;

private:
    consequence on_sent(const renamed_znode& own, const reply& answer);
    consequence on_fenced(const renamed_znode& own, const reply& answer);
    consequence on_listed(contender_session& c, const renamed_znode& own, const reply& answer);

    std::string name_;  // the new one
    pending_ticket sent_;
    pending_ticket fencing_;
    pending_ticket listing_;
    std::uint64_t fenced_on_ =
        0;  // the connection on which a write of ours has shown that a list tells
    bool fence_refused_ = false;  // and that write was forbidden: the lost rename may still commit
    bool unsure_ = false;         // the answer was lost
};

}  // namespace turnstile::core
