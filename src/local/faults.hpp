// SPDX-License-Identifier: Apache-2.0
// faults: lets a test cause failures between a client and its servers. For tests only.
//
//     local::faults faults{"name"};             // the tree of "local:name"
//     faults.set_traffic(id, local::traffic::stalls_after_server);
//     ... submit a create request ...           // the tree creates the znode, and the answer vanishes
//     faults.detach(id);                        // the client gets the answer `unknown`
//     faults.attach(id);                        // the same session on a new connection
//
// A call may take effect after its return, but in order with all requests of all sessions.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "local/world.hpp"

namespace turnstile::local {

// A faults object keeps the tree alive. Thread safety: all members from any thread. Exception: a sink, which receives a
// session's events, must not call `inspect`.
class faults {
public:
    explicit faults(const std::string& name) : world_{world::named(name)} {}

    void set_traffic(session_id session, traffic t) { world_->set_traffic(session, t); }
    // After `requests` further requests, the connection stalls: later requests do not reach the server.
    void stall_after(session_id session, std::size_t requests) {
        world_->stall_after(session, requests);
    }
    void detach(session_id session) { world_->detach(session); }
    void attach(session_id session) { world_->attach(session); }
    void expire(session_id session) { world_->expire(session); }
    // Sessions that open after this call are not connected until allow_connections().
    void refuse_connections() { world_->set_connecting(world::connecting::refused); }
    void allow_connections() { world_->set_connecting(world::connecting::allowed); }
    // Runs the servers' container cleaner once: removes the container znodes that had children and are empty.
    void reap() { world_->reap(); }
    void set_traits(const server_traits& traits) {
        inspect([&](tree& t) { t.set_traits(traits); });
    }
    // Runs `look` on the tree between two requests, and waits for its return. Changes by `look` fire no watches.
    void inspect(const std::function<void(tree&)>& look) { world_->inspect(look); }

private:
    std::shared_ptr<world> world_;
};

}  // namespace turnstile::local
