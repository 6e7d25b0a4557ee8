// SPDX-License-Identifier: Apache-2.0
// single_server: one modelled Redis or SQL server in place of the ensemble: its connections, the times of its answers,
// its faults. The keyspace (keyspace.hpp) has the data, and determines the result of each request.
//
// The server executes each request as a whole, in the order in which it reads them. After a stop, it reads the messages
// that arrived, in order for each connection, even if the connection is broken by then. A request may reach Redis long
// after its connection broke. A server that waits for the disk answers when the write is on the disk.
//
// Faults: the server ends and comes back with everything that it answered, with older data, or without data. Or another
// server with another clock replaces it. The clock is slewed or set. The server refuses writes for a while. The wake-up
// that announces events is lost or late.
//
// scenario::single has the promises that must hold. docs/why/model-edges.md lists what the model leaves out.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "simulation/disturbances.hpp"
#include "simulation/drifting_clock.hpp"
#include "simulation/history.hpp"
#include "simulation/keyspace.hpp"
#include "simulation/network.hpp"
#include "simulation/scenario.hpp"
#include "simulation/servers_view.hpp"
#include "simulation/trace.hpp"
#include "simulation/truth_writer.hpp"

namespace turnstile::simulation {

// server_clock: a single server's time of day, in microseconds. It is a little fast or slow, by a rate that changes,
// and it may be set. Copies are independent.
class server_clock {
public:
    [[nodiscard]] std::chrono::microseconds at(instant when) const {
        const auto since = std::chrono::duration_cast<std::chrono::microseconds>(when - set_at_);
        return shown_ + since + since * rate_ / k_million;
    }
    // From `when` on, the clock is fast by this rate, in parts per million.
    void slew(instant when, std::int64_t rate) {
        set(when, at(when));
        rate_ = rate;
    }
    void set(instant when, std::chrono::microseconds shown) {
        shown_ = shown;
        set_at_ = when;
    }

private:
    static constexpr std::int64_t k_million = 1'000'000;

    // Starts so late that a step back never gives a negative time.
    std::chrono::microseconds shown_ = std::chrono::hours{1000};
    instant set_at_{};
    std::int64_t rate_ = 0;
};

class single_server final : public servers_view {
public:
    single_server(const scenario& scenario, agenda& future, dice& chance, network& links,
                  disturbances& faults, history& truth, trace& story);

    void on(const at_server& event);
    void on(const server_notices& event);
    void on(const server_goes_on& event);
    void on(const server_is_back& event);
    void on(const answer_due& event);

    // ---- faults (single_server_faults.cpp) ----
    void strike(const fault_due& event, core::duration length);
    void write_by_hand(core::operation&& op);
    void close_by_hand(session_id session);
    void reap();
    void use_up_quota(instant until) { full_until_ = until; }
    // Executes a request of another client, which ends every expired session.
    void end_what_is_due();

    // ---- queries ----
    [[nodiscard]] std::optional<server_id> some_leader() const { return std::nullopt; }
    [[nodiscard]] const local::tree& truth() const noexcept override { return kept_.tree(); }
    [[nodiscard]] std::size_t watch_count() const override { return kept_.tree().watch_count(); }
    [[nodiscard]] bool healthy() const override;
    [[nodiscard]] instant disturbed_until() const noexcept override { return disturbed_until_; }
    // Returns the deadline in true time, for the highest rate that the server's clock may have.
    [[nodiscard]] std::optional<instant> deadline(session_id session) const override;

private:
    struct hang_up {};
    struct peer {  // the server's end of a connection
        client_id client = 0;
        session_id session = 0;
        std::uint64_t attach = 0;
        std::deque<std::variant<client_message, hang_up>> waiting;
        int attempts = 0;      // attempts to execute the first of these messages
        instant held_until{};  // end of a conflict with another transaction
    };
    // An executed command, and the time from which the command survives the server's end.
    struct entry {
        command done;
        instant safe{};
    };

    // The next functions handle requests (single_server.cpp).
    void read_what_has_come();
    void serve(connection_id by, const client_message& message);
    [[nodiscard]] std::optional<served::word> refuses(const peer& by,
                                                      const client_message& message);
    // Draws whether the message is on its way for so long that the client gives up the connection.
    [[nodiscard]] bool hold_up(connection_id by, client_id client);
    // Draws whether the transaction conflicts. If so, it is rolled back and begins again later.
    [[nodiscard]] bool begin_again_for_another(peer& by);
    [[nodiscard]] command command_of(const peer& by, const client_message& message);
    command_outcome carry_out(command&& wanted);
    void record(const command& wanted, const command_outcome& done);
    [[nodiscard]] removal why_ended(const ended_session& gone) const;
    [[nodiscard]] instant when_on_disk();
    void ring(const std::vector<session_id>& told, instant when);
    void hang_up_on(connection_id by);
    [[nodiscard]] std::chrono::microseconds clock() const { return clock_.at(agenda_.now()); }
    [[nodiscard]] bool waits_for_the_disk() const;

    // The next functions handle the server's end and its clock (single_server_faults.cpp).
    void stand_still(core::duration length);
    void end(bool for_good);
    void lose_data(bool for_good);
    void set_clock(core::duration length);
    void slew();
    void disturb(instant until) { disturbed_until_ = std::max(disturbed_until_, until); }
    [[nodiscard]] command outsiders() const;

    const scenario& scenario_;
    agenda& agenda_;
    dice& dice_;
    network& network_;
    disturbances& disturbances_;
    history& history_;
    trace& trace_;
    truth_writer writer_;

    keyspace first_;  // state of an empty server
    session_id administrator_ = 0;
    keyspace kept_;
    keyspace safe_;  // `kept_` without the commands in `journal_`
    std::deque<entry> journal_;
    server_clock clock_;
    std::map<connection_id, peer> peers_;
    std::map<session_id, connection_id> attached_;
    std::map<session_id, instant> touched_;  // latest extension of each session, in true time

    bool up_ = true;
    std::uint64_t life_ = 0;
    instant busy_until_{};
    bool goes_on_planned_ = false;
    instant on_disk_{};  // when the latest write reaches the disk
    instant full_until_{};
    instant read_only_until_{};
    instant set_ahead_{};  // when the clock was last set ahead
    bool was_set_ahead_ = false;
    bool lost_data_ = false;
    instant disturbed_until_{};
};

}  // namespace turnstile::simulation
