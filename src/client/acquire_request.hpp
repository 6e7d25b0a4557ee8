// SPDX-License-Identifier: Apache-2.0
// acquire_request: a call for a lock on its way from the interface to the core.
//
// The recipe makes the request from the user's options (make_request(), client_impl::request()) and adds what its lock
// needs. From there the request goes down by moves: the message to the core, the options and the functions to the hold.
//
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/session/session_messages.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

class session_runner;

struct acquire_request {
    using handler = std::function<void(result<guard>)>;
    // The threads that run the handler. A recipe's own handler runs on the client's workers, so that its work goes on
    // while the user's executor does not.
    enum class answers : std::uint8_t { on_callbacks, on_workers };

    // A call that starts now: its timeout becomes a deadline. The options have not been checked.
    acquire_request(acquire_options&& wanted, core::attempt mode, handler&& answered = nullptr);

    // Makes the calling thread the owner, if the options name no owner.
    void name_owner();
    // Writes `text` into the contender's znode in place of the holder metadata.
    void set_data(std::string text);
    // The hold ends with another hold of that session, and fails with it.
    void bind_to(const std::shared_ptr<session_runner>& with);
    // `callback` runs once when others queue behind the hold, in the thread that tells the session, under none of its
    // locks: it does not wait, and ends no client.
    void tell_contended(std::function<void()> callback);

    core::acquire message;    // to the core; the session gives it the id
    std::stop_token stop;     // of the options: these go to the hold before it listens
    acquire_options options;  // without the timeout, which the message has
    handler done;             // empty: the caller blocks in wait()
    answers where = answers::on_callbacks;
    std::function<void()> on_contended{};
    std::shared_ptr<session_runner> session{};  // null: any session that has room
};

// The request for a lock that the servers know as one. `longest_attempt` limits an attempt that has no other limit.
// Error: `bad_option` for what no call may have.
[[nodiscard]] result<acquire_request> make_request(acquire_options&& options, core::attempt mode,
                                                   boottime_clock::duration longest_attempt,
                                                   acquire_request::handler&& done = nullptr);

}  // namespace turnstile::detail
