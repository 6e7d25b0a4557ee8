// SPDX-License-Identifier: Apache-2.0
// reply_steps: handles a reply of the servers: first as proof that the session lives, then by passing it to its
// recipient in the session (addressee in session_requests.hpp, session_owners.hpp).
//
// Thread safety: none.
#pragma once

#include <vector>

#include "core/session/session_owners.hpp"

namespace turnstile::core {

class reply_steps {
public:
    explicit reply_steps(session_owners& owners) : owners_{owners} {}

    void on_reply(const reply& answer);

private:
    void note_proof(const reply& answer, bool write);
    void grant_waiting();

    void deliver(const for_contender& recipient, const reply& answer);
    void deliver(const for_inquiry& recipient, const reply& answer);
    void deliver(const for_confirmation& recipient, const reply& answer);
    void deliver(const for_search& recipient, const reply& answer);
    void deliver(const for_commits& recipient, const reply& answer);
    void deliver(const for_sharers& recipient, const reply& answer);
    void deliver(const for_creations& recipient, const reply& answer);
    void deliver(const for_removals& recipient, const reply& answer);
    void deliver(const for_folder_watch& recipient, const reply& answer);
    void deliver(const for_keep_alive&, const reply&) {}

    void look_for_abandoned(const std::string& folder, const reply& answer);
    void answer_sharers(const std::vector<list_sharer>& sharers, const reply& answer);
    void remove_one_by_one(const std::vector<removal>& removals, const reply& answer);
    void answer_removals(const std::vector<removal>& removals, const reply& answer);

    session_owners& owners_;
};

}  // namespace turnstile::core
