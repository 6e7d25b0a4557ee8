// SPDX-License-Identifier: Apache-2.0
#include "turnstile/mutex.hpp"

#include <utility>

#include "recipe/lock/queue_lock.hpp"
#include "recipe/lock/standard_forms.hpp"
#include "turnstile/any_lock.hpp"

namespace turnstile {

class mutex::state {
public:
    state(const client& servers, std::string_view path, const lock_options& modes)
        : queue{servers, path, modes} {}

    const core::claim wants{core::claim_kind::lock};
    const detail::queue_lock queue;
    detail::standard_forms threads;
};

mutex::mutex(const client& servers, std::string_view path) : mutex{servers, path, lock_options{}} {}

mutex::mutex(const client& servers, std::string_view path, const lock_options& modes)
    : state_{new state{servers, path, modes}} {}

mutex::~mutex() = default;

const std::string& mutex::path() const noexcept {
    return state_->queue.path();
}

const std::string& mutex::resource() const noexcept {
    return state_->queue.resource();
}

const detail::queue_lock* detail::exclusive_queue::of(const mutex& lock) noexcept {
    const auto& queue = lock.state_->queue;
    return queue.is_strict() ? &queue : nullptr;
}

// ---- acquire and its variants ----------------------------------------------------------------

result<guard> mutex::acquire(acquire_options options) {
    return state_->queue.acquire(std::move(options), state_->wants);
}

result<guard> mutex::try_acquire(acquire_options options) {
    return state_->queue.try_acquire(std::move(options), state_->wants);
}

void mutex::async_acquire(acquire_options options, std::function<void(result<guard>)> handler) {
    state_->queue.async_acquire(std::move(options), state_->wants, std::move(handler));
}

// ---- queries --------------------------------------------------------------------------------

result<bool> mutex::is_locked(const query_options& options) const {
    return state_->queue.is_locked(options);
}

result<std::vector<contender>> mutex::queue(const query_options& options) const {
    return state_->queue.queue(options);
}

result<std::optional<contender>> mutex::holder(const query_options& options) const {
    return state_->queue.head(options);
}

result<std::size_t> mutex::position(const guard& hold, const query_options& options) const {
    return state_->queue.position(hold, options);
}

// ---- functions of the standard's lock types ---------------------------------------------------

void mutex::take() {
    state_->threads.lock(*this, path());
}

bool mutex::try_take(boottime_clock::duration left) {
    return state_->threads.try_lock(*this, left);
}

void mutex::give_back() {
    state_->threads.take(path()).unlock();
}

const guard* mutex::own() const noexcept {
    return state_->threads.own();
}

}  // namespace turnstile
