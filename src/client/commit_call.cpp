// SPDX-License-Identifier: Apache-2.0
#include "client/commit_call.hpp"

#include <utility>
#include <variant>

#include "client/user_code.hpp"
#include "client/write_parts.hpp"

namespace turnstile::detail {

namespace {

// Returns how many bytes the znode adds to the transaction by which the servers close the session. Includes the
// sequence number that servers may append to the path.
std::size_t bytes_of_ephemeral(const transaction::create_part& create) noexcept {
    constexpr std::size_t k_number_and_length_field = 14;
    const bool ephemeral =
        create.kind == node_kind::ephemeral || create.kind == node_kind::ephemeral_sequential;
    return ephemeral ? create.path.size() + k_number_and_length_field : 0;
}

}  // namespace

commit_call::commit_call(const transaction& writes, std::size_t chroot, commit_audience&& listeners)
    : listeners_{std::move(listeners)} {
    for (const auto& part : writes.parts()) {
        const auto* create = std::get_if<transaction::create_part>(&part);
        requested_paths_.push_back(create == nullptr ? std::string{} : create->path);
        const auto bytes = create == nullptr ? 0 : bytes_of_ephemeral(*create);
        if (bytes != 0) ephemeral_bytes_ += bytes + chroot;
    }
}

void commit_call::listen(const std::stop_token& stop, std::function<void()> cancel) {
    if (stop.stop_possible()) stop_.emplace(stop, std::move(cancel));
}

void commit_call::answer(core::commit_outcome&& outcome, const client_services& services) {
    const auto* const failed = std::get_if<error>(&outcome);
    const auto why = failed == nullptr ? std::nullopt : std::optional{*failed};
    {
        const base::lock_guard lock{mutex_};
        if (why) {
            outcome_ = *why;
        } else {
            outcome_ = result_of(std::move(std::get<core::committed>(outcome)), requested_paths_);
        }
        if (!listeners_.handler) return answered_.notify_all();
    }
    const auto settled = [self = shared_from_this(), why] { self->listeners_.settled(why); };
    // A closed client has no workers. Then the callback below calls `settled`.
    const bool settles_later = listeners_.settled && !services.workers->post(settled);
    services.callbacks->post([self = shared_from_this(), settled, settles_later] {
        if (settles_later) settled();
        call_user(self->listeners_.handler, self->take());
    });
}

bool commit_call::await(caller_help help) {
    base::unique_lock lock{mutex_};
    try {
        while (!outcome_)
            if (!help.go_on(lock)) answered_.wait(lock);
    } catch (const boost::thread_interrupted&) {
        return false;
    }
    return true;
}

result<commit_result> commit_call::take() {
    stop_.reset();
    const base::lock_guard lock{mutex_};
    return std::move(*outcome_);
}

}  // namespace turnstile::detail
