// SPDX-License-Identifier: Apache-2.0
// composite_hold: the call for a lock that consists of several locks. A *part* is the hold of one of these locks. This
// class records the parts, reports their warnings, and makes the options for their calls. Each recipe derives a class,
// which decides when to request parts, when to give parts back, and when the whole hold is valid. client/call.hpp has
// the functions for the caller.
//
// The mutex of the call also guards the recipe's state. For each event, the call decides under this mutex what to do.
// Then it requests parts, gives parts back, and reports to the caller without the mutex. The stop token of a part's
// hold reports the part's loss. The callback on this token runs on a thread of the part's client, on which stop
// callbacks of the user may run, too.
//
// Thread safety: all members from any thread. Lock order: this object's mutex, then the mutexes of the parts' holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "client/acquire_request.hpp"
#include "client/call.hpp"
#include "client/option_table.hpp"

namespace turnstile::detail {

class composite_hold : public call {
public:
    [[nodiscard]] std::string znode() const override { return {}; }
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] boottime_clock::duration release_limit() const override;

protected:
    using stop_callback = std::stop_callback<std::function<void()>>;
    struct kept_part {
        std::shared_ptr<hold> held;
        std::shared_ptr<stop_callback> loss;  // must be destroyed under no lock
        std::uint64_t serial = 0;             // number of the grant, for on_part_lost()
    };
    using held_part = std::pair<std::size_t, std::shared_ptr<hold>>;

    composite_hold(acquire_request&& request, composite kind, std::size_t parts);

    // ---- functions that the recipe implements ------------------------------------------------
    // Handles the loss of a part (the hold of one lock). Called by any thread, under no lock. The part may have been
    // given back meanwhile.
    virtual void on_part_lost(std::size_t which, std::uint64_t serial) = 0;
    // True if the holder must be warned, because the lease of one lock's hold ends soon. `left`: the remaining time of
    // the hold of all locks together.
    [[nodiscard]] virtual bool is_short(boottime_clock::duration left) const = 0;

    // ---- the parts: the holds of the single locks ------------------------------------------
    // Returns the options for the acquire of one lock, by the table in option_table.hpp. The holder gets a warning
    // about this lock as a warning about the hold of all locks. A stop request for `withdrawn` ends the wait for this
    // lock.
    [[nodiscard]] acquire_options options_for_part(std::stop_token withdrawn);
    // Stores the hold of one lock. Returns a serial number, by which on_part_lost() recognizes this grant.
    std::uint64_t keep_part(std::size_t which, std::shared_ptr<hold> held) REQUIRES(mutex_);
    void watch_part(std::size_t which, std::uint64_t serial, const std::stop_token& loss);
    static void give_back(std::vector<kept_part>&& parts);
    [[nodiscard]] std::vector<held_part> held_parts() const;  // the last part first
    // Stores the parts (the holds of single locks) that are held now, so that release() can wait for the end of each
    // part's release. Call it before the parts are given back.
    void note_given_back() REQUIRES(mutex_);
    [[nodiscard]] std::vector<held_part> given_back() const;  // the last part first

    // ---- the hold of all locks together -----------------------------------------------------
    // True if the caller has its guard, and has not given it up.
    [[nodiscard]] bool has_holder() const;
    void tell_lost(std::vector<task>&& callbacks);
    // Returns the result of release(). If the hold ended before the release, this is the reason for its end. Otherwise
    // it is `first`, the first error in the releases of the single locks, or success.
    [[nodiscard]] result<void> released(const std::optional<error>& first) const;

    std::vector<kept_part> parts_ GUARDED_BY(mutex_);

private:
    template <class F>
    void tell_as_whole(F&& callback);

    [[nodiscard]] std::vector<held_part> kept() const REQUIRES(mutex_);

    const composite kind_;
    std::uint64_t grants_ GUARDED_BY(mutex_) = 0;
    std::vector<held_part> given_back_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
