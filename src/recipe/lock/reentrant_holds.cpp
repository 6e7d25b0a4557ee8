// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/reentrant_holds.hpp"

#include <atomic>
#include <utility>

#include "base/inner_error.hpp"
#include "base/out_of_memory.hpp"
#include "client/hold.hpp"
#include "client/internals.hpp"

namespace turnstile::detail {

struct reentrant_holds::common {
    common(owner whose, guard&& base) : identity{whose}, hold{std::move(base)} {}
    const owner identity;
    guard hold;  // released by the last share
};

// The object behind a guard. Several guards of one owner share the owner's hold.
class reentrant_holds::share final : public hold, public std::enable_shared_from_this<share> {
public:
    share(std::shared_ptr<reentrant_holds> all, std::shared_ptr<common> of)
        : all_{std::move(all)}, common_{std::move(of)} {}
    ~share() override { unlock(); }
    share(const share&) = delete;
    share& operator=(const share&) = delete;

    [[nodiscard]] const std::string& path() const noexcept override { return inner().path(); }
    [[nodiscard]] std::string znode() const override { return inner().znode(); }
    [[nodiscard]] fencing_vector tokens() const override { return inner().fencing_tokens(); }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override {
        return inner().fencing_token();
    }
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override {
        const auto of = internals::hold_of(common_->hold);
        return released_ || !of ? boottime_clock::time_point::min() : of->certain_until();
    }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override {
        return inner().valid_until();
    }
    [[nodiscard]] lease_evidence evidence() const noexcept override { return inner().evidence(); }
    [[nodiscard]] result<void> status() const override { return inner().status(); }
    [[nodiscard]] std::stop_token lost_token() const noexcept override { return inner().lost(); }
    void on_lost(std::function<void(const error&)> callback) override {
        common_->hold.on_lost(
            [weak = weak_from_this(), call = std::move(callback)](const error& why) {
                if (const auto self = weak.lock(); self && !self->released_) call(why);
            });
    }
    [[nodiscard]] result<znode_holds> parts_for_commit() override {
        return internals::hold_of(common_->hold)->parts_for_commit();
    }
    void run_as_callback(std::function<void()> task) override {
        internals::hold_of(common_->hold)->run_as_callback(std::move(task));
    }
    [[nodiscard]] result<void> may_release() const override {
        const auto identity = common_->identity;
        if (table::may_leave(identity, owner::calling_thread())) return {};
        return error{errc::not_owner, path() + ": held by " + identity.to_string() + ", not by " +
                                          owner::calling_thread().to_string()};
    }
    void unlock() noexcept override {
        if (!released_.exchange(true)) all_->drop(common_).unlock();
    }
    [[nodiscard]] boottime_clock::duration release_limit() const override {
        return internals::hold_of(common_->hold)->release_limit();
    }
    result<void> release(boottime_clock::time_point deadline) override {
        const auto still = inner().status();
        if (released_.exchange(true)) return still;
        auto last = all_->drop(common_);
        if (!last) return still;
        return last.release_until(deadline);
    }

private:
    [[nodiscard]] const guard& inner() const noexcept { return common_->hold; }

    const std::shared_ptr<reentrant_holds> all_;
    const std::shared_ptr<common> common_;
    std::atomic<bool> released_{false};
};

std::optional<result<guard>> reentrant_holds::enter(owner identity,
                                                    const callback<void(const error&)>& on_lost) {
    std::shared_ptr<common> mine;
    {
        const base::lock_guard lock{mutex_};
        result<void> still;
        const auto may = owners_.enter(identity, [&still](const auto& hold) {
            still = hold->hold.status();
            return bool{still};
        });
        if (may == owner_entry::queues) return std::nullopt;
        if (may == owner_entry::waits) {
            return error{errc::would_deadlock, path_ + ": " + identity.to_string() +
                                                   " is waiting for this lock already; one owner "
                                                   "cannot wait in two calls at once"};
        }
        mine = *owners_.hold_of(identity);
        if (may == owner_entry::is_over) {
            return error{errc::session_lost,
                         path_ + ": the hold of " + mine->hold.znode() +
                             " has ended and cannot be entered again (" +
                             base::words_within(errc::session_lost, still.error()) + ')'};
        }
    }
    return make_share(mine, on_lost);
}

result<guard> reentrant_holds::entered(owner identity, result<guard>&& outcome,
                                       const callback<void(const error&)>& on_lost) {
    if (!outcome) {
        gave_up(identity);
        return std::move(outcome);
    }
    auto shared = base::finish_or_end("the grant of a recursive_mutex", [&] {
        auto granted = std::make_shared<common>(identity, std::move(*outcome));
        const base::lock_guard lock{mutex_};
        owners_.granted(identity, granted);
        return granted;
    });
    return make_share(shared, on_lost);
}

void reentrant_holds::gave_up(owner identity) noexcept {
    const base::lock_guard lock{mutex_};
    owners_.gave_up(identity);
}

result<guard> reentrant_holds::make_share(const std::shared_ptr<common>& of,
                                          const callback<void(const error&)>& on_lost) {
    return base::finish_or_end("another entry into a hold", [&] {  // this share counts already
        auto result = internals::make_guard(std::make_shared<share>(shared_from_this(), of));
        if (on_lost) result.on_lost(on_lost);
        return result;
    });
}

guard reentrant_holds::drop(const std::shared_ptr<common>& of) noexcept {
    const base::lock_guard lock{mutex_};
    return owners_.leave(of->identity) ? std::move(of->hold) : guard{};
}

std::size_t reentrant_holds::count(owner identity) const {
    const base::lock_guard lock{mutex_};
    return owners_.count(identity);
}

}  // namespace turnstile::detail
