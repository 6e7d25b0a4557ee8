// SPDX-License-Identifier: Apache-2.0
#include "turnstile/guard.hpp"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"
#include "client/hold.hpp"
#include "client/internals.hpp"
#include "turnstile/lockable.hpp"

namespace turnstile {

namespace {

const std::string k_none;

// False in a forked child. There a mutex of the hold may be locked for ever, because a thread of the parent process had
// locked it at the fork.
bool is_usable(const detail::hold* own) noexcept {
    return own != nullptr && !own->forked();
}

}  // namespace

namespace detail {

error empty_guard(std::string_view subject) {
    std::string text{subject};
    if (!text.empty()) text += ": ";
    return {errc::not_held, text + "the guard was released, moved from, or never had a hold"};
}

result<std::shared_ptr<hold>> usable_hold(const guard& of, std::string_view subject) {
    auto found = internals::hold_of(of);
    if (!found) return empty_guard(subject);
    if (found->forked()) return found->forked_error();
    return found;
}

error hold::forked_error() const {
    return {errc::forked, path() + " is held by the parent of this process"};
}

error hold::end_of_certainty(boottime_clock::time_point limit) const {
    if (boottime_clock::now() >= limit) return {errc::held_too_long, path()};
    return {errc::session_lost, path() + ": the lease has ended"};
}

result<void> hold::release(boottime_clock::time_point deadline) {
    unlock();
    return base::finish_or_end("a release", [&] { return await_release(deadline); });
}

// Refuses a transaction that writes the hold's own znode, because that znode guards the transaction.
result<void> check_untouched(const transaction& writes, const std::string& znode) {
    for (std::size_t i = 0; i != writes.parts().size(); ++i) {
        const auto touches = [&znode](const auto& part) { return part.path == znode; };
        if (std::visit(touches, writes.parts()[i])) {
            return error{errc::bad_option, "part " + std::to_string(i) + ": \"" + znode +
                                               "\" is the znode of the hold itself"}
                .of_part(i);
        }
    }
    return {};
}

result<void> check_commit(const transaction& writes, const hold& by) {
    if (by.forked()) return by.forked_error();
    if (auto good = writes.validate(); !good) return good;
    for (const auto& further : detail::internals::further_holds(writes)) {
        if (!further) return empty_guard("under()");
        if (further->forked()) return further->forked_error();
    }
    return check_untouched(writes, by.znode());
}

}  // namespace detail

guard& guard::operator=(guard&& other) noexcept {
    if (this != &other) {
        unlock();
        hold_ = std::exchange(other.hold_, nullptr);
    }
    return *this;
}

fencing_token guard::fencing_token() const noexcept {
    return is_usable(hold_) ? hold_->token() : turnstile::fencing_token{};
}

fencing_vector guard::fencing_tokens() const {
    return is_usable(hold_) ? hold_->tokens() : fencing_vector{};
}

const std::string& guard::path() const noexcept {
    return hold_ ? hold_->path() : k_none;
}

std::string guard::znode() const {
    return is_usable(hold_) ? hold_->znode() : k_none;
}

bool guard::valid() const noexcept {
    return is_usable(hold_) && hold_->valid();
}

boottime_clock::time_point guard::valid_until() const noexcept {
    return is_usable(hold_) ? hold_->valid_until() : boottime_clock::time_point::min();
}

boottime_clock::duration guard::remaining() const noexcept {
    if (!valid()) return boottime_clock::duration{};
    return left_until(hold_->valid_until());  // the hold may have been lost meanwhile
}

lease_evidence guard::evidence() const noexcept {
    return is_usable(hold_) ? hold_->evidence() : lease_evidence::relayed;
}

result<void> guard::status() const {
    if (!hold_) return detail::empty_guard();
    return hold_->status();
}

std::stop_token guard::lost() const noexcept {
    return is_usable(hold_) ? hold_->lost_token() : std::stop_token{};
}

void guard::on_lost(std::function<void(const error& why)> callback) {
    if (is_usable(hold_)) hold_->on_lost(std::move(callback));
}

result<commit_result> guard::commit(const transaction& writes,
                                    const commit_options& options) const {
    if (!hold_) return detail::empty_guard();
    if (const auto good = detail::check_commit(writes, *hold_); !good) return good.error();
    return detail::commit_by(detail::internals::hold_of(*this), writes, options);
}

result<commit_result> guard::commit(const transaction& writes) const {
    return commit(writes, commit_options{});
}

void guard::async_commit(const transaction& writes, const commit_options& options,
                         std::function<void(result<commit_result>)> handler) const {
    if (!handler) throw_error({errc::bad_option, "async_commit: the handler is empty"});
    if (!hold_) throw_error(detail::empty_guard());
    if (hold_->forked()) return handler(hold_->forked_error());
    if (const auto good = detail::check_commit(writes, *hold_); !good) throw_error(good.error());
    detail::async_commit_by(detail::internals::hold_of(*this), writes, options, std::move(handler));
}

result<void> guard::release() {
    if (!is_usable(hold_)) return release_until({});
    return release_until(boottime_clock::now() + hold_->release_limit());
}

result<void> guard::release_until(boottime_clock::time_point deadline) {
    if (!hold_) return detail::empty_guard();
    if (hold_->forked()) return std::exchange(hold_, nullptr)->forked_error();
    if (const auto may = hold_->may_release(); !may) return may;
    return detail::internals::take_hold(std::move(*this))->release(deadline);
}

// In a forked child the copy of the hold is never destroyed.
void guard::let_go() noexcept {
    if (hold_->forked())
        hold_ = nullptr;
    else
        detail::internals::take_hold(std::move(*this))->unlock();
}

}  // namespace turnstile
