// SPDX-License-Identifier: Apache-2.0
// leader: takes part in an election, in which at most one participant leads at any instant.
//
// Purpose: of several instances one does what only one may do. The program asks whether it leads:
//
//     turnstile::leader seat{servers, "/election/scheduler", {.id = "host-1", .data = "10.0.0.7:8080"}};
//     seat.start();
//     if (seat.await({.timeout = 10s}) && seat.leads()) schedule(seat.fencing_token(), seat.lost());
//
// or it gives a function, which runs while it leads:
//
//     const auto duty = [](turnstile::leader_term& term) {
//         while (!term.lost().stop_requested() && more_work()) do_some(term.fencing_token());
//     };
//     turnstile::leader reports{servers, "/election/reports", duty, {.id = "host-1"}};
//     reports.start();
//
// A lead is a hold like a mutex's: it ends by the lease before another participant can lead. leads() is compared with
// the clock at the call; lost(), a stop token, and on_change tell of the end.
//
// | its term ends                                       | the participant                                          |
// |-----------------------------------------------------|----------------------------------------------------------|
// | by a loss: the session, the znode, the lease        | queues again at once, behind all others                  |
// | the function returns or throws; resign(), move_to() | queues again after `pause`; with `once` it stays out     |
// | close()                                             | stays out, until start()                                 |
//
// The function has to return when term.lost() is triggered: by a loss (no later than another participant can lead), at
// resign(), move_to() and close(). The lead is given up when it has returned, not before. It never runs twice at a
// time for one object.
//
// The option `protocol` selects the form of the znodes' names. Participants of different protocols do not see each other.
// docs/how-to/election.md shows the use, docs/why/election.md each step.
//
// Thread safety: all members from any thread, the function and callbacks included. Threads: with a function one of the
// object's own, from the first start() to close(), or none with an executor; without a function none.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/leader_term.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/participant.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class transaction;  // transaction.hpp
struct commit_options;
struct commit_result;

struct leader_options {
    // What the others know this participant by; it should be the only one of that name. 1 to 1024
    // bytes of UTF-8. Empty: "<host>-<pid>".
    std::string id{};
    // Published with the id, for those that look for the leader: its address, say. Up to 1024 bytes of UTF-8.
    std::string data{};
    election_protocol protocol = election_protocol::selector;
    // Takes part no more after a term that it ended itself, or lost, until the next start().
    bool once = false;
    // From the end of a term that this participant ended to its next entry: so a function that returns at once does not
    // write to the servers without end. After a function that threw it grows, to a minute at least. Ten years at most.
    boottime_clock::duration pause = std::chrono::seconds{1};
    // Runs the function; empty: a thread of the object's own. An executor that throws ends the participation, and
    // on_exception is told; one that never runs it leaves this participant leading and idle.
    executor run{};
    // Told what the function threw, on its thread. Empty: it is logged.
    std::function<void(std::exception_ptr)> on_exception{};
};

class TURNSTILE_EXPORT leader {
public:
    using function = std::function<void(leader_term&)>;

    // Throws std::system_error: bad_path; bad_option (id, data, pause, an empty function); closed (a client that was
    // moved from). Sends nothing.
    leader(const client& servers, std::string_view path, leader_options options = {});
    leader(const client& servers, std::string_view path, function duty,
           leader_options options = {});
    ~leader();  // close()
    leader(const leader&) = delete;
    leader& operator=(const leader&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;
    [[nodiscard]] const std::string& id() const noexcept;

    // Takes part from now on; again, it does nothing while it takes part. While a function runs whose term is
    // over (lost, resigned, closed): queues when that has returned, whatever `once` says.
    void start();
    // Takes part no more. Without a function: gives the lead or the place up in the background. With one: triggers the
    // stop token and waits until the function has returned and the lead is given up, except from inside the function.
    // Beside start() the later of the two counts.
    void close() noexcept;

    // Leads now; with a function: that runs, and the lead is valid. False from the instant on at which another
    // participant might lead.
    [[nodiscard]] bool leads() const noexcept;
    // Until when this lead is certain, as things stand; min() if it does not lead.
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    // The token of the present lead. A later leader has a larger token. Zero if this participant does not lead.
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    // Triggered when the lead of this moment ends, for whatever reason; before another participant can lead. Triggered
    // already if it does not lead.
    [[nodiscard]] std::stop_token lost() const;
    // Writes only if this participant still leads, see guard::commit(). not_held if it does not.
    result<commit_result> commit(const transaction& writes, const commit_options& options);
    result<commit_result> commit(const transaction& writes);

    // Waits until it leads. timeout, cancelled, interrupted; closed: close() was called, the client is closed, or a term
    // with `once` is over; not_held: start() was not called; no_permission, auth_failed, no_chroot, lease_too_short and
    // others of mutex::acquire(): it cannot take part, until the next start(). A Boost interruption point.
    result<void> await(const query_options& options = {});
    // Calls `listener` with true when it begins to lead and with false when its term is to end, in order, on the
    // client's callbacks executor, until the handle is destroyed (which waits for a call under way,
    // except from inside it). Throws bad_option for an empty listener.
    [[nodiscard]] listener_handle on_change(std::function<void(bool leads)> listener);
    // How often it has come to lead.
    [[nodiscard]] std::size_t terms() const noexcept;
    // Why it takes part no more although it was not closed: the client is closed, no permission, ...;
    // start() tries again.
    [[nodiscard]] std::optional<error> failure() const;

    // Ends the term of this moment: triggers its stop token. Does nothing if it does not lead.
    void resign() noexcept;
    // Resigns in favour of the named participant: those that come to lead before it step aside, once each
    // at most, and for no longer than `within`; after that the next in line leads. Returns when this is
    // written down and the stop token is triggered; present_leader() tells when it has come about. not_held: this
    // participant does not lead; bad_option: `successor` takes no part, or `within` is wrong; and guard::commit()'s.
    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const query_options& options = {});

    // All participants, the leader first; and the leader. No participation needed. To follow the leader: leader_watch.
    [[nodiscard]] result<std::vector<participant>> participants(
        const query_options& options = {}) const;
    [[nodiscard]] result<std::optional<participant>> present_leader(
        const query_options& options = {}) const;

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
