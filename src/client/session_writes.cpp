// SPDX-License-Identifier: Apache-2.0
// The way of a guarded write from the guard's function to the core, and of its outcome back.
#include <optional>
#include <utility>

#include "base/out_of_memory.hpp"
#include "client/caller_help.hpp"
#include "client/session_runner.hpp"
#include "client/user_code.hpp"
#include "client/write_parts.hpp"

namespace turnstile::detail {

namespace {

error stopped() {
    return {errc::cancelled, "the commit"};
}

}  // namespace

core::commit_id session_runner::start_commit(core::contender_id hold, const transaction& writes,
                                             std::vector<std::string> standing,
                                             const commit_options& options,
                                             const std::shared_ptr<commit_call>& caller) {
    const auto id = next_id<core::commit_id>();
    const auto given = options.timeout.deadline();
    if (options.stop.stop_possible()) {
        // Runs under no lock, because emplace() may call the callback at once, in this thread.
        caller->stop.emplace(options.stop, [weak = weak_from_this(), id] {
            if (const auto self = weak.lock())
                base::finish_or_end("a stop request", [&] { self->cancel(id, stopped()); });
        });
    }
    hand_over({id, hold, write_parts_of(writes, acl_), given, std::move(standing)}, caller);
    if (options.stop.stop_requested()) cancel(id, stopped());  // an earlier stop
    return id;
}

result<commit_result> session_runner::commit(core::contender_id hold, const transaction& writes,
                                             std::vector<std::string> standing,
                                             const commit_options& options) {
    const auto own = std::make_shared<commit_call>(writes, chroot_);
    const auto id = start_commit(hold, writes, std::move(standing), options, own);
    return base::finish_or_end("a commit", [&] { return await_commit(id, *own); });
}

result<commit_result> session_runner::await_commit(core::commit_id id, commit_call& own) {
    caller_help help{this};
    base::unique_lock lock{mutex_};
    try {
        while (!own.outcome)
            if (!help.go_on(lock)) own.arrived.wait(lock);
    } catch (const boost::thread_interrupted&) {
        lock.unlock();
        cancel(id, {errc::interrupted, "the commit"});
        lock.lock();
    }
    auto outcome = std::move(*own.outcome);
    lock.unlock();
    own.stop.reset();  // its destructor waits for a running callback
    return outcome;
}

void session_runner::async_commit(core::contender_id hold, const transaction& writes,
                                  std::vector<std::string> standing, const commit_options& options,
                                  commit_audience&& listeners) {
    const auto own = std::make_shared<commit_call>(writes, chroot_);
    own->listeners = std::move(listeners);
    start_commit(hold, writes, std::move(standing), options, own);
    services_->callbacks->pump();
}

void session_runner::on_answer(core::commit_answer& answer) {
    const auto found = writings_.extract(answer.id);
    if (!found) return;
    const auto& caller = found.mapped();
    caller->outcome = caller->told(std::move(answer.outcome));
    const auto& told = *caller->outcome;
    room_.enter_epoch(core_.epoch());
    if (!told && told.error() != errc::outcome_unknown) room_.take_back(caller->ephemeral_bytes());
    if (!caller->listeners.handler) return caller->arrived.notify_all();
    const auto settled = [caller, why = told ? std::nullopt : std::optional{told.error()}] {
        caller->listeners.settled(why);
    };
    // If the client is closed, it has no workers, so the task runs with the callbacks.
    const bool settles_later = caller->listeners.settled && !services_->workers->post(settled);
    services_->callbacks->post([caller, settled, settles_later] {
        if (settles_later) settled();
        caller->stop.reset();
        call_user(caller->listeners.handler, std::move(*caller->outcome));
    });
}

}  // namespace turnstile::detail
