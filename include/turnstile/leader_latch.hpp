// SPDX-License-Identifier: Apache-2.0
// leader_latch: take part in an election, and lead from some moment on until it is over.
//
// Purpose: one of several instances does what must be done by one, for as long as it lives.
//
//     turnstile::leader_latch seat{servers, "/election/scheduler", {.id = "host-1"}};
//     auto told = seat.on_change([](bool leads) { leads ? start_work() : stop_work(); });
//     seat.start();
//     if (seat.await({.timeout = 10s}) && seat.leads()) schedule();
//
// Leadership is a hold like a mutex's: it ends by the lease before another participant can lead. leads() is
// checked against the clock at the call; `while_leading()` and on_change tell of the end. A participant
// that loses its leadership or its place (session, znode) enters the queue again, at its end, until
// close().
//
// Protocol: Curator's LeaderLatch (`_c_<uuid>-latch-<number>`, data: the id), so that both may take part on
// one path. A latch and a mutex on one path do not see each other. How to use it:
// docs/how-to/election.md; the protocol: docs/why/election.md.
//
// Thread safety: all members from any thread, callbacks included. Threads: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

class transaction;  // transaction.hpp
struct commit_options;
struct commit_result;

struct election_identity {
    // What the others know this participant by; it should be the only one of that name. 1 to 1024
    // bytes of UTF-8. Empty: "<host>-<pid>".
    std::string id{};
};

class TURNSTILE_EXPORT leader_latch {
public:
    // Throws std::system_error: bad_path, bad_option (the id), closed (a client that was moved from). Sends
    // nothing.
    leader_latch(const client& servers, std::string_view path, election_identity identity = {});
    ~leader_latch();  // close()
    leader_latch(const leader_latch&) = delete;
    leader_latch& operator=(const leader_latch&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;
    [[nodiscard]] const std::string& id() const noexcept;

    // Takes part from now on; what takes part already goes on, and what was closed begins anew.
    void start();
    // Takes part no more: gives leadership or the place in the queue up, in the background. Listeners of a
    // leader are told. Idempotent; after it await() answers `closed`.
    void close() noexcept;

    // Leads now. False from the instant on at which another participant might.
    [[nodiscard]] bool leads() const noexcept;
    // Until when this leadership is certain, as things stand; min() if it does not lead.
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    // Of this leadership; the later leader has the larger one. Zero if it does not lead.
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    // Triggered when the leadership of this moment ends, for whatever reason. Triggered already if it does
    // not lead.
    [[nodiscard]] std::stop_token while_leading() const;
    // Writes only if this participant still leads, see guard::commit(). not_held if it does not.
    result<commit_result> commit(const transaction& writes, const commit_options& options);
    result<commit_result> commit(const transaction& writes);

    // Waits until it leads. timeout, cancelled, interrupted; closed: close() was called or the client is;
    // not_held: start() was not called; no_permission, auth_failed, no_chroot, lease_too_short and others of
    // mutex::acquire(): it cannot take part, until the next start(). A Boost interruption point.
    // Only timeout and stop of the options are used.
    result<void> await(const query_options& options = {});

    // Calls `listener` with true when it begins to lead and with false when it ceases to, in order, on the
    // client's callbacks executor, until the handle is destroyed (which waits for a call under way,
    // except from inside it). Throws bad_option for an empty listener.
    [[nodiscard]] listener_handle on_change(std::function<void(bool leads)> listener);

    // All participants, the leader first; and the leader. No participation needed.
    [[nodiscard]] result<std::vector<participant>> participants(
        const query_options& options = {}) const;
    [[nodiscard]] result<std::optional<participant>> leader(
        const query_options& options = {}) const;

private:
    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
