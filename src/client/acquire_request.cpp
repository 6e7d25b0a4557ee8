// SPDX-License-Identifier: Apache-2.0
#include "client/acquire_request.hpp"

#include <utility>

#include "client/settings.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {

result<acquire_request> make_request(acquire_options&& options, const call_form& form) {
    if (const auto good = check_call(options); !good) return good.error();
    return pinned_request(std::move(options), form);
}

acquire_request pinned_request(acquire_options&& options, const call_form& form) {
    acquire_request request{std::move(options), form.mode};
    // A call that has no time at all is a try, which has the time that an answer takes.
    if (request.options.timeout.is_zero())
        request.mode = core::attempt::once;
    else
        request.deadline = request.options.timeout.deadline();
    request.options.timeout = {};
    if (!request.deadline && request.mode == core::attempt::once && form.longest_attempt)
        request.deadline = boottime_clock::now() + *form.longest_attempt;
    if (form.blocks && request.options.owner.empty()) request.options.owner = thread_owner();
    return request;
}

core::acquire acquire_request::message(core::acquisition_id id,
                                       core::acquisition_settings&& settings) const {
    return {id, std::move(settings), deadline, warn_before(), options.max_hold};
}

}  // namespace turnstile::detail
