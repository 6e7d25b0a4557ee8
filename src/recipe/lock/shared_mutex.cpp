// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/shared_mutex.hpp"

#include <utility>

namespace turnstile {

// ---- views ----------------------------------------------------------------------------------

const std::string& shared_mutex_view::path() const noexcept {
    return queue_->path();
}

result<guard> shared_mutex_view::acquire(acquire_options options) const {
    return queue_->acquire(std::move(options), {detail::core_kind(kind_)});
}

result<guard> shared_mutex_view::try_acquire(acquire_options options) const {
    return queue_->try_acquire(std::move(options), {detail::core_kind(kind_)});
}

void shared_mutex_view::async_acquire(acquire_options options,
                                      std::function<void(result<guard>)> handler) const {
    queue_->async_acquire(std::move(options), {detail::core_kind(kind_)}, std::move(handler));
}

shared_mutex_view shared_mutex::readers() const {
    return {state_->queue, contender_kind::reader};
}

shared_mutex_view shared_mutex::upgraders() const {
    return {state_->queue, contender_kind::upgradable};
}

shared_mutex_view shared_mutex::writers() const {
    return {state_->queue, contender_kind::writer};
}

// ---- the primary forms ----------------------------------------------------------------------

shared_mutex::shared_mutex(const client& servers, std::string_view path)
    : state_{std::make_shared<state>(servers, path)} {}

shared_mutex::~shared_mutex() = default;

const std::string& shared_mutex::path() const noexcept {
    return state_->queue->path();
}

result<guard> shared_mutex::acquire(acquire_options options) {
    return writers().acquire(std::move(options));
}

result<guard> shared_mutex::acquire_shared(acquire_options options) {
    return readers().acquire(std::move(options));
}

result<guard> shared_mutex::acquire_upgrade(acquire_options options) {
    return upgraders().acquire(std::move(options));
}

result<guard> shared_mutex::try_acquire(acquire_options options) {
    return writers().try_acquire(std::move(options));
}

result<guard> shared_mutex::try_acquire_shared(acquire_options options) {
    return readers().try_acquire(std::move(options));
}

result<guard> shared_mutex::try_acquire_upgrade(acquire_options options) {
    return upgraders().try_acquire(std::move(options));
}

void shared_mutex::async_acquire(acquire_options options,
                                 std::function<void(result<guard>)> handler) {
    writers().async_acquire(std::move(options), std::move(handler));
}

void shared_mutex::async_acquire_shared(acquire_options options,
                                        std::function<void(result<guard>)> handler) {
    readers().async_acquire(std::move(options), std::move(handler));
}

void shared_mutex::async_acquire_upgrade(acquire_options options,
                                         std::function<void(result<guard>)> handler) {
    upgraders().async_acquire(std::move(options), std::move(handler));
}

// ---- conversions ----------------------------------------------------------------------------

result<void> shared_mutex::downgrade_to_upgradable(guard& hold) {
    return detail::downgrade(path(), hold, core::contender_kind::upgradable);
}

result<void> shared_mutex::downgrade_to_shared(guard& hold) {
    return detail::downgrade(path(), hold, core::contender_kind::read);
}

result<void> shared_mutex::upgrade(guard& hold, acquire_options options) {
    return detail::upgrade(state_->upgrading(), hold, std::move(options));
}

result<void> shared_mutex::try_upgrade(guard& hold, acquire_options options) {
    return detail::upgrade(state_->upgrading(core::attempt::once), hold, std::move(options));
}

void shared_mutex::async_upgrade(guard hold, acquire_options options,
                                 std::function<void(guard hold, result<void> outcome)> handler) {
    if (!handler) throw_error({errc::bad_option, "async_upgrade: the handler is empty"});
    detail::async_upgrade(state_->upgrading(), std::move(hold), std::move(options),
                          std::move(handler));
}

// ---- queries --------------------------------------------------------------------------------

result<bool> shared_mutex::is_locked(const query_options& options) const {
    return state_->queue->is_locked(options);
}

result<std::vector<contender>> shared_mutex::queue(const query_options& options) const {
    return state_->queue->queue(options);
}

result<std::vector<contender>> shared_mutex::holders(const query_options& options) const {
    return state_->queue->holders(options);
}

result<std::size_t> shared_mutex::position(const guard& hold, const query_options& options) const {
    return state_->queue->position(hold, options);
}

}  // namespace turnstile
