// SPDX-License-Identifier: Apache-2.0
#include "turnstile/multi_lock.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/resource_name.hpp"
#include "recipe/composite/multi_hold.hpp"
#include "recipe/lock/standard_forms.hpp"

namespace turnstile {

namespace {

std::vector<any_lock> in_canonical_order(std::vector<any_lock> locks) {
    if (locks.empty()) throw_error({errc::bad_option, "multi_lock: the list of locks is empty"});
    std::stable_sort(locks.begin(), locks.end(), [](const any_lock& a, const any_lock& b) {
        return base::split_resource_name(a.resource()) < base::split_resource_name(b.resource());
    });
    std::set<std::string> names;
    for (std::size_t i = 0; i != locks.size(); ++i) {
        if (i != 0 && locks[i].resource() == locks[i - 1].resource()) {
            throw_error({errc::bad_option,
                         "multi_lock: \"" + locks[i].resource() +
                             "\" is in the list twice, so the multi_lock would wait for itself"});
        }
        if (!names.insert(locks[i].name()).second) {
            throw_error({errc::bad_option, "multi_lock: two locks are called \"" + locks[i].name() +
                                               "\"; give them different names"});
        }
    }
    return locks;
}

}  // namespace

class multi_lock::state {
public:
    explicit state(std::vector<any_lock> all) : locks{in_canonical_order(std::move(all))} {
        for (const auto& lock : locks) paths += (paths.empty() ? "" : ", ") + lock.path();
    }
    // Makes the object for one acquire of all locks. `done` is empty for a caller that blocks.
    [[nodiscard]] result<std::shared_ptr<detail::multi_hold>> call(
        acquire_options&& options, core::attempt mode, detail::call::handler&& done = {}) const {
        const auto good = detail::check_refused(options, detail::composite::multi, "multi_lock");
        if (!good) return good.error();
        return std::make_shared<detail::multi_hold>(
            locks, pace, detail::acquire_request{std::move(options), mode, std::move(done)});
    }
    [[nodiscard]] result<guard> acquire(acquire_options&& options, core::attempt mode) const {
        const auto started = call(std::move(options), mode);
        if (!started) return started.error();
        return (*started)->acquire();
    }

    const std::vector<any_lock> locks;
    std::string paths;
    const std::shared_ptr<detail::trial_pace> pace = std::make_shared<detail::trial_pace>();
    detail::standard_forms threads;
};

multi_lock::multi_lock(std::initializer_list<any_lock> locks)
    : multi_lock{std::vector<any_lock>{locks}} {}

multi_lock::multi_lock(std::vector<any_lock> locks) : state_{new state{std::move(locks)}} {}

multi_lock::~multi_lock() = default;

const std::vector<any_lock>& multi_lock::locks() const noexcept {
    return state_->locks;
}

// ---- acquire and its variants ----------------------------------------------------------------

result<guard> multi_lock::acquire(acquire_options options) {
    return state_->acquire(std::move(options), core::attempt::wait);
}

result<guard> multi_lock::try_acquire(acquire_options options) {
    return state_->acquire(std::move(options), core::attempt::once);
}

void multi_lock::async_acquire(acquire_options options,
                               std::function<void(result<guard>)> handler) {
    if (!handler) throw_error({errc::bad_option, "async_acquire: the handler is empty"});
    const auto started = state_->call(std::move(options), core::attempt::wait, std::move(handler));
    if (!started) throw_error(started.error());
    (*started)->async_acquire();
}

// ---- functions of the standard's lock types ---------------------------------------------------

void multi_lock::take() {
    state_->threads.lock(*this, state_->paths);
}

bool multi_lock::try_take(boottime_clock::duration left) {
    return state_->threads.try_lock(*this, left);
}

void multi_lock::give_back() {
    state_->threads.take(state_->paths).unlock();
}

const guard* multi_lock::own() const noexcept {
    return state_->threads.own();
}

}  // namespace turnstile
