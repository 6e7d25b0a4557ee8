// SPDX-License-Identifier: Apache-2.0
// composite_hold: what holds have in common that consist of several: the record of their parts, what a part's
// loss and warnings become, who is told of the end of the whole, and what a forked child may not touch. What is
// asked for and given back, and when the whole is valid, is each recipe's own.
//
// Its lock guards the recipe's value, too. What a step decides is carried out under no lock: asking for a
// part, giving one back, telling the caller. A loss comes by the stop token of the part's hold, on a thread of
// its client's own, where stop callbacks of the user's may run, too.
//
// Thread safety: all members from any thread. Lock order: this lock, then the parts' holds'.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "client/hold.hpp"
#include "turnstile/acquire_options.hpp"

namespace turnstile::detail {

class composite_hold : public hold, public std::enable_shared_from_this<composite_hold> {
public:
    using handler = std::function<void(result<guard>)>;

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] std::string znode() const override { return {}; }
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override {
        return lost_source_.get_token();
    }
    void on_lost(std::function<void(const error&)> callback) override;

protected:
    using stop_callback = std::stop_callback<std::function<void()>>;
    struct part {
        std::shared_ptr<hold> held;
        std::shared_ptr<stop_callback> loss;  // ends under no lock
        std::uint64_t serial = 0;             // of the grant: older losses are void
    };
    using held_part = std::pair<std::size_t, std::shared_ptr<hold>>;

    composite_hold(acquire_options options, std::size_t parts);

    // ---- what the recipe says --------------------------------------------------------------
    // By any thread, under no lock; the part may have been given back meanwhile.
    virtual void on_part_lost(std::size_t which, std::uint64_t serial) = 0;
    virtual void post_lost(std::function<void(const error&)> callback) = 0;
    // Whether the holder is told that so much is left of the whole, when a part's lease is about to end.
    [[nodiscard]] virtual bool is_short(boottime_clock::duration left) const = 0;

    // ---- the parts -------------------------------------------------------------------------
    // Those of the call, but what belongs to the whole: its limits, the places in the queue, the loss. Warnings
    // tell of the whole. `withdrawn` ends the part's wait.
    [[nodiscard]] acquire_options options_of_part(std::stop_token withdrawn);
    // Returns the serial of the grant.
    std::uint64_t keep_part(std::size_t which, std::shared_ptr<hold> held) REQUIRES(mutex_);
    void watch_part(std::size_t which, std::uint64_t serial, const std::stop_token& loss);
    static void give_back(std::vector<part>&& parts);
    [[nodiscard]] std::vector<held_part> held_parts() const;  // the last first

    // ---- the whole -------------------------------------------------------------------------
    // The caller has its guard and has not given it up.
    [[nodiscard]] bool handed() const;
    void tell_lost();
    // What release() says: why the whole was over before, or what the first part said that failed.
    [[nodiscard]] result<void> released(const std::optional<error>& first) const;

    const acquire_options options_;
    std::atomic<bool> over_{false};  // lost, or given up

    mutable base::mutex mutex_;
    std::vector<part> parts_ GUARDED_BY(mutex_);
    bool handed_ GUARDED_BY(mutex_) = false;  // the caller has its guard
    bool released_ GUARDED_BY(mutex_) = false;
    std::optional<error> why_ GUARDED_BY(mutex_);  // of a hold that is over
    std::vector<std::function<void(const error&)>> lost_callbacks_ GUARDED_BY(mutex_);
    std::optional<stop_callback> stop_;  // of the caller's token; made and ended under no lock

private:
    std::stop_source lost_source_;
    std::uint64_t grants_ GUARDED_BY(mutex_) = 0;
};

}  // namespace turnstile::detail
