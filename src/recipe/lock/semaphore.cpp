// SPDX-License-Identifier: Apache-2.0
#include "turnstile/semaphore.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/mutex.hpp"
#include "base/out_of_memory.hpp"
#include "base/process.hpp"
#include "recipe/lock/permit_store.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/lock/standard_forms.hpp"

namespace turnstile {

namespace {

error out_of_range(const std::string& path, permit_count permits) {
    return {errc::bad_option, path + ": " + std::to_string(permits.value()) +
                                  " permits; there must be at least 1, and " +
                                  std::to_string(permit_count::k_most) + " at most"};
}

// A grant or `busy` shows that the semaphore has the number of permits that this object expects.
void note_agreement(std::atomic<bool>& agreed, const result<guard>& outcome) {
    if (outcome || outcome.error() == errc::busy) agreed = true;
}

}  // namespace

class semaphore::state {
public:
    using client_impl = detail::client_impl;

    state(const client& servers, std::string_view path, std::optional<permit_count> permits)
        : queue{servers, path, core::contender_family::semaphore} {
        if (!permits) return;
        if (!permits->in_range()) throw_error(out_of_range(queue.path(), *permits));
        limit = static_cast<std::int32_t>(permits->value());
    }

    [[nodiscard]] client_impl& servers() const { return *queue.servers(); }
    [[nodiscard]] result<detail::acquire_request> request(
        permit_count permits, core::attempt mode, acquire_options&& options,
        detail::acquire_request::handler&& done = nullptr) const {
        const core::claim wants{core::claim_kind::permit,
                                static_cast<std::int32_t>(permits.value())};
        auto call = queue.request(wants, mode, std::move(options), std::move(done));
        if (!call) return call;
        call->message.settings.limit = limit;
        call->message.settings.agreed = *agreed;
        return call;
    }
    result<guard> acquire(permit_count permits, acquire_options options, core::attempt mode) {
        if (!permits.in_range()) return out_of_range(queue.path(), permits);
        const auto started = servers().acquire(request(permits, mode, std::move(options)));
        if (!started) return started.error();
        auto outcome = (*started)->wait();
        note_agreement(*agreed, outcome);
        return outcome;
    }

    const detail::queue_lock queue;
    std::optional<std::int32_t> limit;  // the number of permits that this object expects
    const std::shared_ptr<std::atomic<bool>> agreed = std::make_shared<std::atomic<bool>>(false);
};

semaphore::semaphore(const client& servers, std::string_view path, permit_count permits)
    : state_{new state{servers, path, permits}} {}

semaphore::semaphore(const client& servers, std::string_view path)
    : state_{new state{servers, path, std::nullopt}} {}

semaphore::~semaphore() = default;

const std::string& semaphore::path() const noexcept {
    return state_->queue.path();
}

// ---- acquire and its variants ----------------------------------------------------------------

result<guard> semaphore::acquire(permit_count permits, acquire_options options) {
    return state_->acquire(permits, std::move(options), core::attempt::wait);
}

result<guard> semaphore::try_acquire(permit_count permits, acquire_options options) {
    return state_->acquire(permits, std::move(options), core::attempt::once);
}

void semaphore::async_acquire(permit_count permits, acquire_options options,
                              std::function<void(result<guard>)> handler) {
    if (!handler) throw_error({errc::bad_option, "async_acquire: the handler is empty"});
    const auto answer = [&](const error& why) {
        state_->servers().post([handler, why] { handler(why); });
    };
    if (!permits.in_range()) return answer(out_of_range(path(), permits));
    const auto started = state_->servers().acquire(
        state_->request(permits, core::attempt::wait, std::move(options),
                        [handler, agreed = state_->agreed](result<guard> outcome) {
                            note_agreement(*agreed, outcome);
                            handler(std::move(outcome));
                        }));
    if (!started) answer(started.error());
}

// ---- the number of permits -------------------------------------------------------------------

result<std::int32_t> semaphore::limit(const query_options& options) const {
    const auto limit = detail::read_limit(state_->servers(), path(), options);
    if (!limit) return limit.error();
    return limit->now;
}

result<void> semaphore::set_limit(permit_count permits, const query_options& options) {
    if (!permits.in_range()) return out_of_range(path(), permits);
    const auto limit = static_cast<std::int32_t>(permits.value());
    auto done = base::finish_or_end("a change of a limit", [&] {
        return detail::store_limit(state_->servers(), path(), limit, options);
    });
    if (done) *state_->agreed = true;
    return done;
}

result<std::int32_t> semaphore::available(const query_options& options) const {
    return detail::free_permits(state_->servers(), path(), options);
}

// ---- queries --------------------------------------------------------------------------------

result<std::vector<contender>> semaphore::queue(const query_options& options) const {
    return state_->queue.queue(options);
}

result<std::vector<contender>> semaphore::holders(const query_options& options) const {
    const auto limit = detail::read_limit(state_->servers(), path(), options);
    if (!limit) return limit.error();
    return state_->queue.holders(options, *limit);
}

result<std::size_t> semaphore::position(const guard& hold, const query_options& options) const {
    return state_->queue.position(hold, options);
}

// ---- counting_semaphore ----------------------------------------------------------------------

class counting_semaphore::state {
public:
    explicit state(semaphore& of) : of_{of} {}

    [[nodiscard]] semaphore& of() const noexcept { return of_; }
    void keep(guard&& permit) {
        const base::lock_guard lock{mutex_};
        permits_.push_back(std::move(permit));
    }
    void give_back(std::ptrdiff_t count) {
        if (process_.forked())
            throw_error({errc::forked, of_.path() + ": the permits belong to the parent process"});
        std::deque<guard> gone;  // destroyed, and so released, under no lock
        const base::lock_guard lock{mutex_};
        if (count < 0 || static_cast<std::size_t>(count) > permits_.size()) {
            throw_error({errc::not_owner,
                         of_.path() + ": release(" + std::to_string(count) +
                             "): must be from 0 to the number of permits that this object holds, " +
                             std::to_string(permits_.size())});
        }
        base::finish_or_end("the release of permits", [&]() REQUIRES(mutex_) {
            for (; count > 0; --count) {
                gone.push_back(std::move(permits_.front()));
                permits_.pop_front();
            }
        });
    }
    [[nodiscard]] std::size_t held() const {
        if (process_.forked()) return 0;
        const base::lock_guard lock{mutex_};
        return permits_.size();
    }

private:
    semaphore& of_;
    const base::process_mark process_;
    mutable base::mutex mutex_;
    std::deque<guard> permits_ GUARDED_BY(mutex_);
};

counting_semaphore::counting_semaphore(semaphore& of) : state_{new state{of}} {}

counting_semaphore::~counting_semaphore() = default;

void counting_semaphore::acquire() {
    auto permit = state_->of().acquire();
    if (!permit) detail::throw_from_lock(permit.error());
    state_->keep(std::move(*permit));
}

bool counting_semaphore::try_acquire() {
    return try_acquire_within({});
}

bool counting_semaphore::try_acquire_within(boottime_clock::duration left) {
    auto permit = state_->of().acquire({.timeout = left});
    if (!detail::standard_forms::taken(permit)) return false;
    state_->keep(std::move(*permit));
    return true;
}

void counting_semaphore::release(std::ptrdiff_t update) {
    state_->give_back(update);
}

std::size_t counting_semaphore::held() const {
    return state_->held();
}

}  // namespace turnstile
