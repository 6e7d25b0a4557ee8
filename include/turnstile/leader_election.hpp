// SPDX-License-Identifier: Apache-2.0
// leader_election: runs a function while leading, then goes to the back of the queue, so that periodic
// work goes round the instances.
//
//     turnstile::leader_election seat{servers, "/election/reports", [](turnstile::leader_term& term) {
//         while (!term.stop().stop_requested() && more_work()) do_some(term.fencing_token());
//     }, {.id = "host-1"}};
//     seat.start();
//
// The function runs while this participant leads, never twice at a time for one object. Its term's stop token
// is triggered when the leadership is lost (no later than another participant can lead), at resign() and at
// close(); then it has to return. Leadership is given up when it has returned, and the participant queues
// again behind all others, or stays out, by option. What it throws ends the term and is told to
// on_exception. A participant that is granted and does not lead (it steps aside for a named one, or loses the
// lead before its function is called) queues again, whatever the option.
//
// Protocol: Curator's LeaderSelector, a mutex whose znodes hold the participant's id: both may take part
// on one path. move_to() is Turnstile's own: a Curator participant between does not step aside.
// How to use it: docs/how-to/election.md; step by step: docs/why/election.md.
//
// Threads: one of the object's own for the function, from the first start() to close(); none with an
// executor. Thread safety: all members from any thread, the function included.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/participant.hpp"
#include "turnstile/result.hpp"
#include "turnstile/standard_parts.hpp"

namespace turnstile {

class guard;
class transaction;  // transaction.hpp
struct commit_options;
struct commit_result;

// One leadership, from the call of the function to its return, with which it ends.
class TURNSTILE_EXPORT leader_term {
public:
    leader_term(const leader_term&) = delete;
    leader_term& operator=(const leader_term&) = delete;
    ~leader_term() = default;

    // Triggered when the function has to return.
    [[nodiscard]] std::stop_token stop() const noexcept;
    [[nodiscard]] bool valid() const noexcept;  // leads still, checked against the clock
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    [[nodiscard]] result<void> status() const;  // why it does not lead any more
    // Writes only if this participant still leads, see guard::commit().
    result<commit_result> commit(const transaction& writes, const commit_options& options);
    result<commit_result> commit(const transaction& writes);

private:
    friend class leader_election;
    leader_term(guard& lead, stop_signal stop) noexcept : lead_{lead}, stop_{std::move(stop)} {}

    guard& lead_;
    stop_signal stop_;
};

// What follows a term, which is a call of the function that has returned.
enum class after_term_policy { enter_again, stay_out };

struct election_options {
    std::string id{};  // as election_identity's
    after_term_policy then = after_term_policy::enter_again;
    // Runs the function; empty: a thread of the object's own. One that throws ends the participation, and
    // on_exception is told; one that never runs it leaves this participant leading and idle.
    executor run{};
    // Told what the function threw, on its thread. Empty: it is logged.
    std::function<void(std::exception_ptr)> on_exception{};
};

class TURNSTILE_EXPORT leader_election {
public:
    using function = std::function<void(leader_term&)>;

    // Throws std::system_error: bad_path, bad_option (the id, an empty function), closed. Sends nothing.
    leader_election(const client& servers, std::string_view path, function duty,
                    election_options options = {});
    ~leader_election();  // close()
    leader_election(const leader_election&) = delete;
    leader_election& operator=(const leader_election&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;
    [[nodiscard]] const std::string& id() const noexcept;

    // Takes part from now on; again, it does nothing while it takes part. While a function runs whose term is
    // over (lost, resigned, closed): queues when that has returned, whatever after_term_policy says.
    void start();
    // Takes part no more: triggers the stop token and waits until the function has returned and the
    // leadership is given up, except from inside the function. Beside start() the later of the two counts.
    void close() noexcept;

    // The function runs, and the leadership is valid now.
    [[nodiscard]] bool leads() const noexcept;
    // How often the function has been called.
    [[nodiscard]] std::size_t terms() const noexcept;
    // Why it takes part no more although it was not closed: the client is closed, no permission, ...;
    // start() tries again.
    [[nodiscard]] std::optional<error> failure() const;

    // Ends the term of this moment: triggers its stop token. Does nothing if it does not lead.
    void resign() noexcept;
    // Resigns in favour of the named participant: those that come to lead before it step aside, once each
    // at most, and for no longer than `within`; after that the next in line leads. Returns when this is
    // written down and the stop token is triggered; leader() tells when it has come about. not_held: this
    // participant does not lead; bad_option: `successor` takes no part, or `within` is wrong; and guard::commit()'s.
    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const query_options& options = {});

    // All participants, the leader first; and the leader.
    [[nodiscard]] result<std::vector<participant>> participants(
        const query_options& options = {}) const;
    [[nodiscard]] result<std::optional<participant>> leader(
        const query_options& options = {}) const;

private:
    class work;
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
