// SPDX-License-Identifier: Apache-2.0
// composite_hold: the call for a lock that consists of several locks: the record of its parts, the warnings about a
// part, and the options of a part. Each recipe decides when parts are asked for and given back, and when the whole is
// valid. client/call.hpp is the caller's side.
//
// The call's lock guards the recipe's value, too. The decisions of a step are executed under no lock: asking for a
// part, giving one back, telling the caller. A loss arrives by the stop token of the part's hold, on a thread that
// its client keeps for this, where stop callbacks of the user's may run, too.
//
// Thread safety: all members from any thread. Lock order: this lock, then the parts' holds'.
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
        std::shared_ptr<stop_callback> loss;  // destroyed under no lock
        std::uint64_t serial = 0;             // the grant's: an older grant's loss does not count
    };
    using held_part = std::pair<std::size_t, std::shared_ptr<hold>>;

    composite_hold(acquire_request&& request, composite kind, std::size_t parts);

    // ---- decisions of the recipe ------------------------------------------------------------
    // Called by any thread, under no lock; the part may have been given back meanwhile.
    virtual void on_part_lost(std::size_t which, std::uint64_t serial) = 0;
    // True if the holder should hear how much time is left of the whole, when a part's lease is about to end.
    [[nodiscard]] virtual bool is_short(boottime_clock::duration left) const = 0;

    // ---- the parts -------------------------------------------------------------------------
    // By the table of options; its warnings are about the whole. `withdrawn` ends the part's wait.
    [[nodiscard]] acquire_options options_for_part(std::stop_token withdrawn);
    // Returns the serial of the grant.
    std::uint64_t keep_part(std::size_t which, std::shared_ptr<hold> held) REQUIRES(mutex_);
    void watch_part(std::size_t which, std::uint64_t serial, const std::stop_token& loss);
    static void give_back(std::vector<kept_part>&& parts);
    [[nodiscard]] std::vector<held_part> held_parts() const;  // the last part first
    // Stores the parts that are held now, for the wait in release(): it asks each of them for the end of its release.
    // Call it before the holder gives the parts back.
    void note_given_back() REQUIRES(mutex_);
    [[nodiscard]] std::vector<held_part> given_back() const;  // the last part first

    // ---- the whole -------------------------------------------------------------------------
    // The caller has its guard and has not given it up.
    [[nodiscard]] bool has_holder() const;
    // Posts the callbacks of a loss, and triggers `lost()`.
    void tell_lost(std::vector<task>&& callbacks);
    // The result of release(): why the whole had ended before, or the first error of a part.
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
