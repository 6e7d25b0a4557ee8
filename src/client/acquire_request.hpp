// SPDX-License-Identifier: Apache-2.0
// acquire_request: a call for a lock, as the public interface passes it to the core.
//
// make_request() or client_impl::request() makes the request from the user's options. The recipe, the code of one kind
// of lock, adds what its lock needs. The parts of the request are then moved, not copied: `message` into the core, the
// options and functions into the hold.
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
    // The threads that run the handler: the threads for the user's callbacks, or the client's workers. A recipe's own
    // handler runs on the workers, so that the recipe goes on while the user's executor is blocked.
    enum class answers : std::uint8_t { on_callbacks, on_workers };

    // Converts the timeout into a deadline, so the call's time limit starts here. The constructor does not check the
    // options.
    acquire_request(acquire_options&& wanted, core::attempt mode, handler&& answered = nullptr);

    // Makes the calling thread the owner of the hold, if the options name no owner.
    void name_owner();
    // The contender's znode will contain `text`, instead of the usual text that describes the holder.
    void set_data(std::string text);
    // Makes the new contender use the session `with`, which already has another hold. A loss of the session ends
    // both holds.
    void bind_to(const std::shared_ptr<session_runner>& with);
    // `callback` runs once, when another contender queues behind the hold. It runs in the session's thread, under none
    // of the session's locks. It must not block or close a client.
    void tell_contended(std::function<void()> callback);

    core::acquire message;    // goes to the core; the session sets the id
    std::stop_token stop;     // a copy, since `options` move into the hold first
    acquire_options options;  // without the timeout, which `message` has
    handler done;             // if empty, the caller blocks in call::wait()
    answers where = answers::on_callbacks;
    std::function<void()> on_contended{};
    std::shared_ptr<session_runner> session{};  // null: any session that has room
};

// Makes the request for a call that has one contender at the servers. `longest_attempt` limits a single attempt
// (timeout zero) that has no other limit. Error: `bad_option` for a combination of options that no call accepts.
[[nodiscard]] result<acquire_request> make_request(acquire_options&& options, core::attempt mode,
                                                   boottime_clock::duration longest_attempt,
                                                   acquire_request::handler&& done = nullptr);

}  // namespace turnstile::detail
