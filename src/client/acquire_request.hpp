// SPDX-License-Identifier: Apache-2.0
// acquire_request: a call's options as they travel from the interface to the core: checked, with one deadline and a named
// owner.
//
// Thread safety: a value.
#pragma once

#include <optional>

#include "core/contender/acquisition.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

struct acquire_request {
    acquire_options options;  // its time-out counts no more: `deadline` has it
    core::attempt mode = core::attempt::wait;
    std::optional<boottime_clock::time_point> deadline{};

    // How long before the end of its lease a holder is warned; zero: never.
    [[nodiscard]] boottime_clock::duration warn_before() const {
        return options.on_expiring ? options.warn_before : boottime_clock::duration{};
    }
    // To the core of a session.
    [[nodiscard]] core::acquire message(core::acquisition_id id,
                                        core::acquisition_settings&& settings) const;
};

// What a call is beyond its options.
struct call_form {
    core::attempt mode = core::attempt::wait;
    // The calling thread waits in the call: it is the owner, if the options name none.
    bool blocks = false;
    // Limit of an attempt that has no other; none where a composite's parts have limits of their own.
    std::optional<boottime_clock::duration> longest_attempt{};
};

// The border. `bad_option` for what no call may have.
[[nodiscard]] result<acquire_request> make_request(acquire_options&& options,
                                                   const call_form& form);
// The same for a composite, whose parts check what they are given: the deadline of a call that starts now, and its
// owner.
[[nodiscard]] acquire_request pinned_request(acquire_options&& options, const call_form& form);

}  // namespace turnstile::detail
