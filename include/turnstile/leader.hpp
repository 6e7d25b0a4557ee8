// SPDX-License-Identifier: Apache-2.0
// leader: a participant of an election, in which at most one participant leads at any instant.
//
// Use it for a service with several instances, of which only one does the work. The program may ask whether it leads:
//
//     turnstile::leader seat{servers, "/election/scheduler", {.id = "host-1", .data = "10.0.0.7:8080"}};
//     seat.start();
//     if (seat.await({.timeout = 10s}) && seat.leads()) schedule(seat.fencing_token(), seat.lost());
//
// or the program may pass a function, which the library runs while the participant leads:
//
//     const auto duty = [](turnstile::leader_term& term) {
//         while (!term.lost().stop_requested() && more_work()) do_some(term.fencing_token());
//     };
//     turnstile::leader reports{servers, "/election/reports", duty, {.id = "host-1"}};
//     reports.start();
//
// The leading participant has a *lead*, which is a hold like a mutex's. The lead is certain until its lease ends, and
// the lease ends before another participant can lead. leads() compares the end of the lease with the clock. The stop
// token of lost() and the listener of on_change() report the end of the lead. A *term* is the time from the start of a
// lead until the function has returned or the lead ends.
//
// | cause of the term's end                             | next act of the participant                              |
// |-----------------------------------------------------|----------------------------------------------------------|
// | the session, the znode or the lease is lost         | queues again at once, behind all others                  |
// | the function returns or throws; resign(), move_to() | queues again after `pause`; with `once` it does not queue|
// | close()                                             | does not queue until start()                             |
//
// The function must return when term.lost() is triggered. The library triggers it at resign(), move_to() and close(),
// and after a loss, before another participant can lead. At resign(), move_to() and close() the participant keeps the
// lead until the function has returned. For one object the function never runs twice at the same time.
//
// The option `protocol` chooses the queue of the election. Participants with different protocols do not see each other.
// How to use an election: docs/how-to/election.md. Each step: docs/why/election.md.
//
// Thread safety: any thread may call any member, and so may the function and the callbacks. Threads: an object with a
// function has one thread, from the first start() to close(). An object without a function, or with an executor, has no
// thread.
#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
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

// The options of a participant.
struct leader_options {
    // The name by which other programs know this participant. No other participant should have the same id. 1 to 1024
    // bytes of UTF-8. Empty: "<host>-<pid>".
    std::string id{};
    // Data that other programs can read with the id, like the address of this instance. Up to 1024 bytes of UTF-8.
    std::string data{};
    // The queue of the election. All participants of an election must have the same protocol.
    election_protocol protocol = election_protocol::selector;
    // If true, a participant that has led does not queue again, for whatever reason its lead ended, until the next
    // start().
    bool once = false;
    // The pause before this participant queues again, after its function has returned or thrown, or after resign() or
    // move_to(). Without the pause a function that returns at once would cause a stream of writes at the servers. Each
    // time that the function throws, the pause grows, up to a minute, or up to twice this value if that is longer. At
    // most ten years.
    boottime_clock::duration pause = std::chrono::seconds{1};
    // The executor that runs the function. Empty: a thread of this object. If the executor throws, the participant
    // leaves the election, and on_exception gets the exception. If the executor never runs the function, this
    // participant leads but does no work.
    executor run{};
    // Called with the exception that the function threw, on the function's thread. Empty: the library logs the
    // exception.
    std::function<void(std::exception_ptr)> on_exception{};
};

// A participant of an election.
class TURNSTILE_EXPORT leader {
public:
    // A function that the library calls each time that this participant begins to lead, on a thread that
    // leader_options::run chooses.
    using function = std::function<void(leader_term&)>;

    // Makes a participant, with the function `duty` or without a function, and sends nothing. Throws std::system_error:
    // `bad_path`; `bad_option` (the id, the data or the pause breaks a rule, or the function is empty); `closed`
    // (`servers` was moved from).
    leader(const client& servers, std::string_view path, leader_options options = {});
    template <std::convertible_to<function> Duty>
    leader(const client& servers, std::string_view path, Duty duty, leader_options options = {})
        : leader{servers, path, std::move(options), function{std::move(duty)}} {}
    // Refuses a temporary client, which would close at the end of the statement.
    leader(client&&, std::string_view, leader_options = {}) = delete;
    template <std::convertible_to<function> Duty>
    leader(client&&, std::string_view, Duty, leader_options = {}) = delete;
    ~leader();  // calls close()
    leader(const leader&) = delete;
    leader& operator=(const leader&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;
    // Returns the id of this participant.
    [[nodiscard]] const std::string& id() const noexcept;

    // Starts to take part in the election. Does nothing if the object takes part already. If the function is still
    // running from an earlier lead, the participant queues after the function has returned, even with `once`.
    void start();
    // Stops taking part. An object without a function gives up its lead, or its place in the queue, in the background.
    // For an object with a function, close() triggers the stop token, and waits until the function has returned and the
    // lead is given up. If the function itself calls close(), close() does not wait. If start() is called at the same
    // time, the later of the two calls takes effect.
    void close() noexcept;

    // Returns whether this participant leads now: it has a valid lead, and its function (if it has one) runs. When the
    // lead ends, the result becomes false before another participant can lead.
    [[nodiscard]] bool leads() const noexcept;
    // Returns the instant until which the present lead is certain; min() if this participant does not lead. A later
    // call may return a later instant.
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    // Returns the token of the present lead; zero if this participant does not lead. A later leader has a larger token.
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    // Returns a stop token that is triggered when the present lead ends, for any reason, before another participant can
    // lead. If this participant does not lead, the token is triggered already.
    [[nodiscard]] std::stop_token lost() const;
    // Executes the writes only if this participant still leads, see guard::commit(). Returns `not_held` if it does not
    // lead.
    result<commit_result> commit(const transaction& writes, const commit_options& options);
    result<commit_result> commit(const transaction& writes);
    // Takes a timeout or a deadline in place of options: commit(writes, 2s). Returns a result<commit_result>.
    template <waiting_time W>
    auto commit(const transaction& writes, const W& limit) {
        return commit(writes, {.timeout = limit});
    }

    // Waits until this participant leads. The call is a Boost interruption point. Errors:
    // - `timeout`, `cancelled`, `interrupted`: as in mutex::acquire().
    // - `closed`: close() was called; or the client is closed; or the participant's lead has ended, and `once` is set.
    // - `not_held`: start() was not called.
    // - `no_permission`, `auth_failed`, `no_chroot`, `lease_too_short` and other errors of mutex::acquire(): this
    //   object cannot take part until the next start().
    result<void> await(const query_options& options = {});
    // Takes a timeout or a deadline in place of options: await(10s).
    template <waiting_time W>
    result<void> await(const W& limit) {
        return await(query_options{.timeout = limit});
    }
    // Calls `listener` with true when this participant begins to lead, and with false when it is about to stop leading.
    // The library makes the calls in order, on the client's callbacks executor, until the handle is destroyed. The
    // handle's destructor waits for a call in progress, unless the listener itself destroys the handle. Throws
    // `bad_option` for an empty listener.
    [[nodiscard]] listener_handle on_change(std::function<void(bool leads)> listener);
    // Returns how often this participant has begun to lead.
    [[nodiscard]] std::size_t terms() const noexcept;
    // Returns the error because of which the object stopped taking part, for example a closed client or an ACL; empty
    // if there was none. start() tries again.
    [[nodiscard]] std::optional<error> failure() const;

    // Ends the present term (the time for which this participant leads), and triggers the term's stop token. Does
    // nothing if this participant does not lead.
    void resign() noexcept;
    // Resigns in favour of the participant with the id `successor`. If another participant gets the lead first, that
    // participant gives the lead up without a call of its function, and queues again. Each participant gives it up at
    // most once, and only before the time `within` has passed. After that time the next participant in the queue leads.
    // The call returns when the servers have stored the id of the successor, and this participant's stop token is
    // triggered; present_leader() shows when the successor leads. Errors: the errors of guard::commit(), and
    // - `not_held`: this participant does not lead.
    // - `bad_option`: `successor` does not take part, or `within` is out of range.
    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const query_options& options = {});
    // Resigns in favour of `successor`, like move_to() above, with a timeout or a deadline of the call in place of
    // options.
    template <waiting_time W>
    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const W& limit) {
        return move_to(successor, within, {.timeout = limit});
    }

    // participants() returns all participants, the leader first; present_leader() returns only the leader. This object
    // need not take part. To follow the leader, use leader_watch.
    [[nodiscard]] result<std::vector<participant>> participants(
        const query_options& options = {}) const;
    [[nodiscard]] result<std::optional<participant>> present_leader(
        const query_options& options = {}) const;
    // participants() and present_leader() also take a timeout or a deadline in place of options: present_leader(2s).
    template <waiting_time W>
    [[nodiscard]] result<std::vector<participant>> participants(const W& limit) const {
        return participants({.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::optional<participant>> present_leader(const W& limit) const {
        return present_leader({.timeout = limit});
    }

private:
    class state;

    leader(const client& servers, std::string_view path, leader_options options, function duty);

    const detail::owned<state> state_;
};

}  // namespace turnstile
