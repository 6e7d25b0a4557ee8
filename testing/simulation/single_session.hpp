// SPDX-License-Identifier: Apache-2.0
// single_session: models a client's session with a single server, as src/redis and src/sql implement it.
//
// | question                      | Redis                                | SQL                                       |
// |-------------------------------|--------------------------------------|-------------------------------------------|
// | Which requests are in         | all                                  | a few, in one transaction; the others     |
// | progress at once?             |                                      | wait at the client, and requests that     |
// |                               |                                      | confirm the lease are sent first          |
// | What is the outcome of        | `unknown` for all sent requests      | `unknown` for all sent requests,          |
// | requests after a break?       |                                      | `not_sent` for the waiting requests       |
// | When does a request count as  | when it leaves the client            | when it leaves the client, even if it has |
// | sent?                         |                                      | waited in the client for long             |
// | When does the client poll the | a third of the session timeout after | a third of the session timeout after the  |
// | server?                       | its latest request                   | latest write or touch                     |
// | When does a client that       | when another session may expire      | when another session may expire           |
// | watches a znode also poll?    |                                      |                                           |
// | How do events arrive?         | with each answer                     | with each answer; events of a lost answer |
// |                               |                                      | arrive again                              |
// | When does a watch end that    | the next attach does not set it      | the client removes it after the next      |
// | the client gave up while it   | again                                | attach                                    |
// | was disconnected?             |                                      |                                           |
// | What if the server is too     | the client repeats the removal a     | the server is never too busy              |
// | busy to remove a watch?       | little later                         |                                           |
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "simulation/server_session.hpp"

namespace turnstile::simulation {

class single_session final : public server_session {
public:
    single_session(client_id owner, std::uint64_t epoch, const scenario& scenario, agenda& future,
                   dice& chance, network& links, const drifting_clock& clock);

    void submit(core::request&& request, core::time_point local_now) override;
    void forget_watches(const std::string& path) override;
    void end(ending how) override;

    void connect() override;
    void receive(connection_id by, const server_message& message) override;
    void hear_bell(connection_id by) override;
    void look_if_due() override;

private:
    struct asked {
        core::request request;
        core::time_point sent;  // on the client's clock
    };
    using question = std::variant<asked, drop_watch, look>;
    struct sent_question {
        question asks;
        instant at{};
    };

    [[nodiscard]] bool is_redis() const noexcept { return scenario_.kind == server_kind::redis; }
    [[nodiscard]] static bool confirms(const question& asks);
    void ask(question&& asks);
    void send_next();
    [[nodiscard]] bool may_send_next() const;
    void send(question&& asks);
    void attach(const served& answer);
    void answer(const served& answer);
    void hear(const served& answer);
    void take_answer(const sent_question& to, const served& answer);
    void settle_watches(const local::client_watch_list& standing);
    void lose_session();
    void lose_connection() override { lose_connection(core::outcome::unknown); }
    void lose_connection(core::outcome of_the_first);
    void give_back_later(const drop_watch& watch, std::deque<question>& later);
    [[nodiscard]] std::optional<instant> waits_since() const override;
    [[nodiscard]] instant next_due() const;
    void plan_look();
    [[nodiscard]] look what_is_due() const;
    void give_back_if_due();
    void reply(const question& to, core::reply&& with);
    void emit_link(core::link_kind kind);

    const drifting_clock& clock_;  // the client's clock

    std::uint64_t heard_ = 0;   // events received
    std::int64_t history_ = 0;  // history of the tree at the latest attach
    // Number of the latest creation or removal of a znode that an answer has shown.
    std::int64_t changed_ = 0;
    // True: a request that creates or removes a znode was in progress when the connection broke.
    bool has_unknown_change_ = false;
    // SQL: how many of the session's requests had created or removed znodes, by the latest answer.
    std::int64_t changes_ = 0;
    // SQL: the session's znodes that other sessions have removed since the session's last request that created or
    // removed znodes.
    std::set<std::string> removed_;
    std::deque<question> waiting_;         // SQL: requests behind the transaction in progress
    std::deque<sent_question> under_way_;  // in the order of the answers
    // SQL: true until the first poll after an attach. This poll brings the events that the client missed.
    bool looks_first_ = false;
    // Time at which the session last sent a request that moves its deadline.
    instant alive_from_{};
    std::optional<instant> next_end_;  // when another session may expire
    std::optional<instant> look_planned_;
    instant give_back_at_{};  // Redis: when to repeat refused removals of watches
};

}  // namespace turnstile::simulation
