// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/shared_mutex.hpp"

#include <utility>

#include "turnstile/any_lock.hpp"

namespace turnstile {

// ---- shared_mutex_view -----------------------------------------------------------------------

shared_mutex_view::shared_mutex_view(state* whole) noexcept : state_{whole} {}

shared_mutex_view::shared_mutex_view(const shared_mutex_view& other)
    : state_{new state{*other.state_}} {}

shared_mutex_view::shared_mutex_view(shared_mutex_view&&) noexcept = default;

shared_mutex_view& shared_mutex_view::operator=(const shared_mutex_view& other) {
    return *this = shared_mutex_view{other};
}

shared_mutex_view& shared_mutex_view::operator=(shared_mutex_view&&) noexcept = default;

shared_mutex_view::~shared_mutex_view() = default;

const std::string& shared_mutex_view::path() const noexcept {
    return state_->queue->path();
}

contender_kind shared_mutex_view::kind() const noexcept {
    return state_->kind;
}

result<guard> shared_mutex_view::acquire(acquire_options options) const {
    return state_->queue->acquire(std::move(options), {detail::core_kind(state_->kind)});
}

result<guard> shared_mutex_view::try_acquire(acquire_options options) const {
    return state_->queue->try_acquire(std::move(options), {detail::core_kind(state_->kind)});
}

void shared_mutex_view::async_acquire(acquire_options options,
                                      std::function<void(result<guard>)> handler) const {
    state_->queue->async_acquire(std::move(options), {detail::core_kind(state_->kind)},
                                 std::move(handler));
}

shared_mutex_view shared_mutex::readers() const {
    return state_->readers;
}

shared_mutex_view shared_mutex::upgraders() const {
    return state_->upgraders;
}

shared_mutex_view shared_mutex::writers() const {
    return state_->writers;
}

const detail::queue_lock* detail::exclusive_queue::of(const shared_mutex& lock) noexcept {
    return lock.state_->queue.get();
}

const detail::queue_lock* detail::exclusive_queue::of(const shared_mutex_view& lock) noexcept {
    return lock.kind() == contender_kind::writer ? lock.state_->queue.get() : nullptr;
}

// ---- acquire and its variants ----------------------------------------------------------------

shared_mutex::shared_mutex(const client& servers, std::string_view path)
    : state_{new state{std::make_shared<detail::queue_lock>(servers, path,
                                                            core::contender_family::read_write)}} {}

shared_mutex::~shared_mutex() = default;

const std::string& shared_mutex::path() const noexcept {
    return state_->queue->path();
}

result<guard> shared_mutex::acquire(acquire_options options) {
    return state_->writers.acquire(std::move(options));
}

result<guard> shared_mutex::acquire_shared(acquire_options options) {
    return state_->readers.acquire(std::move(options));
}

result<guard> shared_mutex::acquire_upgrade(acquire_options options) {
    return state_->upgraders.acquire(std::move(options));
}

result<guard> shared_mutex::try_acquire(acquire_options options) {
    return state_->writers.try_acquire(std::move(options));
}

result<guard> shared_mutex::try_acquire_shared(acquire_options options) {
    return state_->readers.try_acquire(std::move(options));
}

result<guard> shared_mutex::try_acquire_upgrade(acquire_options options) {
    return state_->upgraders.try_acquire(std::move(options));
}

void shared_mutex::async_acquire(acquire_options options,
                                 std::function<void(result<guard>)> handler) {
    state_->writers.async_acquire(std::move(options), std::move(handler));
}

// ---- conversions ----------------------------------------------------------------------------

result<void> shared_mutex::downgrade_to_upgradable(guard& hold) {
    return detail::downgrade(path(), hold, core::claim_kind::upgradable);
}

result<void> shared_mutex::downgrade_to_shared(guard& hold) {
    return detail::downgrade(path(), hold, core::claim_kind::read);
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

// ---- the functions that the standard's lock types need, and Boost's conversions --------------

namespace {

// Removes and returns the calling thread's hold. Throws not_owner if the thread has no hold, or has a valid hold of
// another kind.
guard take_own(detail::standard_forms& threads, const std::string& path, contender_kind kind) {
    auto own = threads.take(path);
    const auto held = detail::kind_held(path, own);
    if (held && *held != detail::core_kind(kind) && own.valid()) {
        threads.keep_or_throw(std::move(own));
        throw_error({errc::not_owner, path + ", as " + to_string(kind) + " does"});
    }
    return own;
}

}  // namespace

void shared_mutex::take(contender_kind kind) {
    state_->threads.lock(state_->view(kind), path());
}

bool shared_mutex::try_take(boottime_clock::duration left, contender_kind kind) {
    return state_->threads.try_lock(state_->view(kind), left);
}

void shared_mutex::give_back(contender_kind kind) {
    take_own(state_->threads, path(), kind).unlock();
}

const guard* shared_mutex::own() const noexcept {
    return state_->threads.own();
}

void shared_mutex::convert(contender_kind from, contender_kind to) {
    auto own = take_own(state_->threads, path(), from);
    const bool up = to == contender_kind::writer;
    const auto done = up ? upgrade(own) : detail::downgrade(path(), own, detail::core_kind(to));
    const bool over = !own.status();
    state_->threads.keep_or_throw(std::move(own));
    if (done || (over && !up)) return;
    if (up) detail::throw_from_lock(done.error());
    throw_error(done.error());
}

bool shared_mutex::try_convert_up(boottime_clock::duration left) {
    auto own = take_own(state_->threads, path(), contender_kind::upgradable);
    const auto done = upgrade(own, {.timeout = left});
    state_->threads.keep_or_throw(std::move(own));
    return detail::standard_forms::taken(done);
}

}  // namespace turnstile
