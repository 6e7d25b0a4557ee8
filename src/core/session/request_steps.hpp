// SPDX-License-Identifier: Apache-2.0
// request_steps: how a session sends requests (client_life.hpp): by themselves, lists shared, removals together, and
// again where nothing came of them.
//
// Thread safety: none.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/session/client_life.hpp"

namespace turnstile::core {

class request_steps {
public:
    enum class sending { in_turn, all };

    explicit request_steps(client_life& life) : life_{life} {}

    ticket send(operation&& op, addressee&& recipient);
    void send_as(ticket id, operation&& op, addressee&& recipient);

    // ---- reads and repeated writes of callers ----
    void start_inquiry(inquiry_id id, const operation& op, std::optional<time_point> deadline,
                       std::uint64_t only_on = 0);
    // The one, or each, that is not under way, if there is a connection.
    void send_inquiry(inquiry_id id);
    void send_inquiries();
    void answer_inquiry(inquiry_id id, std::variant<reply, error>&& outcome);

    // ---- lists that contenders share (shared_lists.hpp) ----
    void list_for(const list_sharer& sharer, std::string&& folder);
    void send_list(ticket id, std::string folder, std::vector<list_sharer>&& sharers);

    // ---- creates that go together (creation_batch.hpp) ----
    // The contender has a ticket of its own, and its answer, as if the request had been its own.
    void create_for(creation&& wanted);
    void send_creations();
    void create_alone(const creation& created);

    // ---- removals that go together (removal_queue.hpp) ----
    // As with a create.
    void remove_for(removal&& wanted);
    void send_removals(sending which);
    // In one transaction; contenders that are over by now, since their znodes have gone, are left out.
    void remove_together(std::vector<removal>&& removals);

    // ---- what the session asks by itself ----
    void send_keep_alive() { send(exists_op{"/"}, for_keep_alive{}); }
    void search_abandoned();

    // ---- again ----
    void retry_later();
    // The server threw a request of `connection` away.
    void on_throttled(std::uint64_t connection);

private:
    void give_back_watches(removal& removed);

    client_life& life_;
};

}  // namespace turnstile::core
