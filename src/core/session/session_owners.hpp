// SPDX-License-Identifier: Apache-2.0
// session_owners: the objects that own a session's state. Each owner keeps its state private and knows no other owner.
// The steps handle events that concern several owners, and have no state:
//
// | owner              | its state                                                                      |
// |--------------------|--------------------------------------------------------------------------------|
// | session_epochs     | the past sessions, the time of the next session, the state that callers see    |
// | server_link        | the epoch, its connection, the lease                                           |
// | server_placement   | the server at which the session stays                                          |
// | session_requests   | requests in progress, shared lists, batches, retries, time without an answer   |
// | session_traces     | watches, removals, abandoned creates                                           |
// | inquiries          | reads and writes of callers that have no hold                                  |
// | session_contenders | contenders, time limits of holds, repeated reads, confirmations                |
// | commit_table       | guarded writes of holds, and releases that wait for these writes               |
//
// Five owners store whether the session has a connection, because each of them stores further data about the
// connection: server_link, server_placement, session_requests, session_traces, session_contenders. link_steps notifies
// these owners of the start and the end of each connection.
//
// | steps           | events or tasks that the steps handle                                             |
// |-----------------|-----------------------------------------------------------------------------------|
// | link_steps      | opening, connections, the ends of epochs, closing                                 |
// | contender_steps | events of contenders: requests of callers, watch events, deadlines; their effects |
// | entry_steps     | contenders that enter their queues together, and the answers to their creates     |
// | inquiry_steps   | reads and writes of callers that have no hold (data_call_steps.hpp)               |
// | commit_steps    | guarded writes of holds (data_call_steps.hpp)                                     |
// | reply_steps     | replies, which they pass to their recipients                                      |
// | timer_steps     | actions that are due by time, the end of the lease first                          |
// | due_times       | the times at which actions are due; due_times changes no state                    |
//
// Thread safety: none, a value.
#pragma once

#include <vector>

#include "core/contender/contender_effects.hpp"
#include "core/session/data_calls.hpp"
#include "core/session/server_link.hpp"
#include "core/session/server_placement.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_contenders.hpp"
#include "core/session/session_core_settings.hpp"
#include "core/session/session_epochs.hpp"
#include "core/session/session_requests.hpp"
#include "core/session/session_traces.hpp"

namespace turnstile::core {

struct session_owners {
    explicit session_owners(const session_core_settings& given)
        : settings{given},
          epochs{given},
          link{given},
          placement{given},
          requests{given},
          traces{given},
          contenders{given.watched_in_line} {
        basics.chance = given.chance;
    }

    session_core_settings settings;
    session_basics basics;
    session_epochs epochs;
    server_link link;
    server_placement placement;
    session_requests requests;
    session_traces traces;
    core::inquiries inquiries;
    session_contenders contenders;
    commit_table commits;
    // The effects that contenders and commits have added for the current event; empty between two events.
    std::vector<contender_effect> effects;
    std::vector<write_effect> write_effects;

    friend bool operator==(const session_owners&, const session_owners&) = default;
};

}  // namespace turnstile::core
