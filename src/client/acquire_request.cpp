// SPDX-License-Identifier: Apache-2.0
#include "client/acquire_request.hpp"

#include <utility>

#include "client/settings.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {

acquire_request::acquire_request(acquire_options&& wanted, core::attempt mode, handler&& answered)
    : stop{wanted.stop}, options{std::move(wanted)}, done{std::move(answered)} {
    // A timeout of zero requests a single attempt. The attempt ends with the servers' answer and gets no deadline here.
    const bool tries = options.timeout.is_zero();
    message.settings.mode = tries ? core::attempt::once : mode;
    if (!tries) message.deadline = options.timeout.deadline();
    options.timeout = {};
    if (options.on_expiring) message.warn_before = options.warn_before;
    message.max_hold = options.max_hold;
}

void acquire_request::name_owner() {
    if (options.owner.empty()) options.owner = thread_owner();
}

void acquire_request::set_data(std::string text) {
    message.settings.data = base::shared_text{std::move(text)};
    message.settings.data_names_folder = false;
}

void acquire_request::bind_to(const std::shared_ptr<session_runner>& with) {
    session = with;
    message.settings.waiters = session_loss_policy::fail;
}

void acquire_request::tell_contended(std::function<void()> callback) {
    on_contended = std::move(callback);
    message.settings.tells_contended = true;
}

result<acquire_request> make_request(acquire_options&& options, core::attempt mode,
                                     boottime_clock::duration longest_attempt,
                                     acquire_request::handler&& done) {
    if (const auto good = check_call(options); !good) return good.error();
    acquire_request request{std::move(options), mode, std::move(done)};
    auto& message = request.message;
    if (message.settings.mode == core::attempt::once && !message.deadline)
        message.deadline = boottime_clock::now() + longest_attempt;
    return request;
}

}  // namespace turnstile::detail
