// SPDX-License-Identifier: Apache-2.0
#include "simulation/server_session.hpp"

namespace turnstile::simulation {

server_session::server_session(client_id owner, std::uint64_t epoch, const scenario& scenario,
                               agenda& future, dice& chance, network& links)
    : owner_{owner},
      epoch_{epoch},
      scenario_{scenario},
      agenda_{future},
      dice_{chance},
      network_{links} {
    agenda_.after(dice_.up_to(scenario_.time.client_latency), connect_due{owner_, epoch_});
}

void server_session::connect_later() {
    agenda_.after(dice_.up_to(scenario_.time.reattach), connect_due{owner_, epoch_});
}

void server_session::drop_connection() {
    if (connection_) network_.close_by_client(*connection_);
    connection_.reset();
    attached_ = false;
}

void server_session::notice_break(connection_id by) {
    if (connection_ == by) lose_connection();
}

void server_session::check_silence(connection_id by) {
    if (connection_ != by) return;
    if (!attached_) return lose_connection();
    silence_planned_ = false;
    const auto most = scenario_.time.session_timeout * 2 / 3;
    if (const auto since = waits_since(); since && *since + most <= agenda_.now())
        return lose_connection();
    expect_answer();
}

void server_session::expect_answer() {
    const auto since = waits_since();
    if (!since || silence_planned_) return;
    silence_planned_ = true;
    agenda_.at(*since + scenario_.time.session_timeout * 2 / 3, silence_due{*connection_});
}

}  // namespace turnstile::simulation
