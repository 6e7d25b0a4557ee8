// multi_hold: one acquisition of a multi_lock, from the call to the release: core::all_of, fed with what
// the locks say.
//
// Its lock guards the value and what it speaks of. What a step decides is carried out under no lock: asking
// for a lock, giving one back, telling the caller. A loss comes by the stop token of the part's hold, on a
// thread of its client's own, where stop callbacks of the user's may run, too.
//
// Thread safety: all members from any thread. Lock order: this lock, then the parts' holds'.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "client/hold.hpp"
#include "core/all_of.hpp"
#include "turnstile/any_lock.hpp"

namespace turnstile::detail {

class multi_hold final : public hold, public std::enable_shared_from_this<multi_hold> {
public:
    using handler = std::function<void(result<guard>)>;
    enum class attempt { wait, once };

    // `locks` in their canonical order.
    multi_hold(std::vector<any_lock> locks, acquire_options options);
    ~multi_hold() override { unlock(); }
    multi_hold(const multi_hold&) = delete;
    multi_hold& operator=(const multi_hold&) = delete;

    // One of these, once. Blocks, and is a Boost interruption point, as the locks' own calls are.
    result<guard> acquire(attempt mode);
    void async_acquire(handler done);

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return path_; }
    [[nodiscard]] std::string znode() const override { return {}; }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override;
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override {
        return lost_source_.get_token();
    }
    void on_lost(std::function<void(const error&)> callback) override;
    void unlock() noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    using stop_callback = std::stop_callback<std::function<void()>>;
    struct part {
        std::shared_ptr<hold> held;           // stays when it is over: it has answers and callbacks
        std::shared_ptr<stop_callback> loss;  // ends under no lock
        std::uint64_t serial = 0;             // of the grant: older losses are void
    };
    // What a step decided beside the next part to ask for.
    struct decisions {
        std::optional<std::size_t> ask;
        std::optional<std::stop_source> withdraw;  // of the wait that it is about
        std::vector<part> give_back;
        bool lost = false;
    };
    // What the guard says when the parts are there no more.
    struct last_words {
        turnstile::fencing_token token;
        fencing_vector tokens;
        boottime_clock::time_point valid_until;
    };

    std::optional<std::size_t> begin();
    void ask_async(std::size_t which);
    acquire_options part_options();
    void stop_waiting();
    std::optional<std::size_t> on_answer(std::size_t which, result<guard>&& answer);
    void watch_part(std::size_t which, std::uint64_t serial, const std::stop_token& loss);
    void on_part_lost(std::size_t which, std::uint64_t serial);
    decisions decide() REQUIRES(mutex_);
    void carry_out(decisions&& what);
    void tell_lost();
    void post_lost(std::function<void(const error&)> callback);
    result<guard> outcome();
    [[nodiscard]] error error_of(std::size_t which, const error& why) const;
    [[nodiscard]] bool all_valid() const REQUIRES(mutex_);
    [[nodiscard]] fencing_vector part_tokens() const REQUIRES(mutex_);
    [[nodiscard]] boottime_clock::time_point earliest_end() const REQUIRES(mutex_);
    void remember() REQUIRES(mutex_);
    [[nodiscard]] bool handed() const;

    const std::vector<any_lock> locks_;
    const acquire_options options_;
    const std::optional<boottime_clock::time_point> deadline_;  // of the whole call
    const std::uint64_t generation_;  // of the process: guards do nothing in a forked child
    const std::string path_;          // all of them
    std::stop_source lost_source_;
    std::atomic<bool> over_{false};  // lost, or given up
    handler done_;

    mutable base::mutex mutex_;
    core::all_of value_ GUARDED_BY(mutex_);
    std::vector<part> parts_ GUARDED_BY(mutex_);
    std::stop_source ask_ GUARDED_BY(mutex_);  // ends the wait for the part that is asked for
    std::uint64_t grants_ GUARDED_BY(mutex_) = 0;
    bool handed_ GUARDED_BY(mutex_) = false;  // the caller has its guard
    bool released_ GUARDED_BY(mutex_) = false;
    std::optional<error> refused_ GUARDED_BY(mutex_);  // the latest answer that was none
    std::optional<error> why_ GUARDED_BY(mutex_);
    std::optional<last_words> last_ GUARDED_BY(mutex_);
    std::vector<std::function<void(const error&)>> lost_callbacks_ GUARDED_BY(mutex_);
    std::optional<stop_callback> stop_;  // of the caller's token; by the thread that acquires
};

}  // namespace turnstile::detail
