// SPDX-License-Identifier: Apache-2.0
// Implements how a client uses its session, and how it handles the messages of its connection.
#include "simulation/handle.hpp"
#include "simulation/sim_client.hpp"
#include "simulation/single_session.hpp"

namespace turnstile::simulation {

void sim_client::open_session(std::uint64_t epoch) {
    if (around_.scenario.kind == server_kind::ensemble) {
        session_ = std::make_unique<handle>(id_, epoch, around_.scenario, around_.future,
                                            around_.chance, around_.links);
    } else {
        session_ = std::make_unique<single_session>(id_, epoch, around_.scenario, around_.future,
                                                    around_.chance, around_.links, clock_);
    }
}

void sim_client::on(const at_client& event) {
    const auto* by = around_.links.find(event.connection);
    if (by == nullptr || by->cut || !session_) return;
    session_->receive(event.connection, event.message);
    collect();
}

void sim_client::on(const client_notices& event) {
    if (session_) session_->notice_break(event.connection);
    collect();
}

void sim_client::on(const connect_due& event) {
    if (session_ && session_->epoch() == event.epoch) session_->connect();
}

void sim_client::on(const silence_due& event) {
    if (session_) session_->check_silence(event.connection);
    collect();
}

void sim_client::on(const role_learned& event) {
    if (session_) session_->learn_role(event.connection, event.role);
    collect();
}

void sim_client::on(const found_elsewhere& event) {
    if (session_) session_->find_elsewhere(event.connection);
    collect();
}

void sim_client::on(const leader_told& told) {
    if (session_) session_->learn_leader(told.connection, told.leader);
    collect();
}

void sim_client::on(const bell_rung& event) {
    const auto* by = around_.links.find(event.connection);
    if (by == nullptr || by->cut || !session_) return;
    session_->hear_bell(event.connection);
    collect();
}

void sim_client::on(const look_due& event) {
    if (!session_ || session_->epoch() != event.epoch) return;
    session_->look_if_due();
    collect();
}

}  // namespace turnstile::simulation
