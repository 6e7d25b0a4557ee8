// SPDX-License-Identifier: Apache-2.0
#include "client/local_hold.hpp"

#include <utility>

#include "base/out_of_memory.hpp"
#include "base/resource_name.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "client/option_table.hpp"

namespace turnstile::detail {

local_hold::local_hold(std::shared_ptr<shared_queue> queue, core::local_id id,
                       acquire_request&& request)
    : call{needed_later(std::move(request.options), composite::shared), std::move(request.done)},
      queue_{std::move(queue)},
      id_{id} {}

// ---- functions for shared_contender ----------------------------------------------------------

void local_hold::on_granted(std::shared_ptr<hold> contender, const turnstile::fencing_token& token,
                            boottime_clock::time_point limit) {
    const base::lock_guard lock{mutex_};
    contender_ = std::move(contender);
    token_ = token;
    limit_ = limit;
    grant();
}

void local_hold::on_refused(const error& why) {
    const base::lock_guard lock{mutex_};
    refuse(why);
}

std::vector<call::task> local_hold::on_loss(const error& why) {
    const base::lock_guard lock{mutex_};
    return lose(why);
}

void local_hold::announce() {
    wake();
    if (blocks_) return;
    post([self = shared_from_this()] { static_cast<local_hold&>(*self).answer_handler(); });
}

void local_hold::post(task callback) {
    queue_->servers().post(std::move(callback));
}

// ---- functions for the caller ---------------------------------------------------------------

void local_hold::cancel(const error& why) noexcept {
    base::finish_or_end("the end of a wait", [&] { queue_->give_up(id_, why); });
}

void local_hold::leave(const error& why) noexcept {
    auto contender = base::finish_or_end(
        "a release", [&] { return queue_->leave(id_, why, next_after_release()); });
    const base::lock_guard lock{mutex_};
    given_back_ = std::move(contender);
}

// The contender may know the reason of a loss before the loss is reported to this hold.
error local_hold::doubt() const {
    const auto contender = contender_->status();
    const bool in_time = boottime_clock::now() < limit_;
    return in_time && !contender ? contender.error() : end_of_certainty(limit_);
}

// ---- functions for the guard ----------------------------------------------------------------

const std::string& local_hold::path() const noexcept {
    return queue_->path();
}

std::string local_hold::znode() const {
    return contender_->znode();
}

fencing_vector local_hold::tokens() const {
    return fencing_vector{
        {{base::make_resource_name(queue_->servers().describe(), path()).to_string(), token_}}};
}

boottime_clock::time_point local_hold::certain_until() const noexcept {
    if (over_) return boottime_clock::time_point::min();
    return std::min(contender_->certain_until(), limit_);
}

boottime_clock::time_point local_hold::valid_until() const noexcept {
    return std::min(contender_->valid_until(), limit_);
}

lease_evidence local_hold::evidence() const noexcept {
    return contender_->evidence();
}

std::shared_ptr<znode_hold> local_hold::carrier() const {
    return (*contender_->parts_for_commit()).front();
}

result<hold::znode_holds> local_hold::parts_for_commit() {
    return znode_holds{std::static_pointer_cast<local_hold>(shared_from_this())};
}

// ---- commits: the contender is not passed on while a commit may still be carried out -------------

result<void> local_hold::begin_own_commit() {
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_given_up())
            return error{errc::not_held, path() + ": the hold was released or lost"};
        ++commits_;
    }
    auto still = status();
    if (!still) end_own_commit(std::nullopt);
    return still;
}

void local_hold::end_own_commit(const std::optional<error>& why) noexcept {
    if (why && *why == errc::outcome_unknown) doubtful_ = true;
    --commits_;
}

// Called when another hold begins a commit that checks this hold's znode. The contender is not released before that
// commit ends.
result<void> local_hold::begin_commit() {
    if (auto begun = begin_own_commit(); !begun) return begun;
    auto kept = carrier()->begin_commit();
    if (!kept) end_own_commit(std::nullopt);
    return kept;
}

void local_hold::end_commit(const std::optional<error>& why) noexcept {
    end_own_commit(why);
    carrier()->end_commit(why);
}

result<commit_result> local_hold::commit(const transaction& writes,
                                         const std::vector<std::string>& further,
                                         const commit_options& options) {
    if (const auto may = begin_own_commit(); !may) return may.error();
    try {
        auto outcome = carrier()->commit(writes, further, options);
        base::finish_or_end("a commit", [&] {
            end_own_commit(outcome ? std::nullopt : std::optional{outcome.error()});
        });
        return outcome;
    } catch (...) {
        end_own_commit(errc::outcome_unknown);
        throw;
    }
}

// This class does not override granted_at(), the connection on which a hold was granted. The process may have handed
// the hold over without a request, so no connection has seen the start of the hold.
result<seen_node> local_hold::read(const std::string& path, boottime_clock::time_point deadline,
                                   const std::stop_token& stop) {
    return carrier()->read(path, deadline, stop);
}

void local_hold::async_commit(const transaction& writes, const std::vector<std::string>& further,
                              const commit_options& options, commit_audience&& listeners) {
    if (const auto may = begin_own_commit(); !may)
        return post([told = std::move(listeners), why = may.error()] { told.refuse(why); });
    try {
        carrier()->async_commit(
            writes, further, options,
            {[self = shared_from_this(),
              done = std::move(listeners.handler)](result<commit_result> outcome) {
                 base::finish_or_end("the answer of a commit", [&] {
                     static_cast<local_hold&>(*self).end_own_commit(
                         outcome ? std::nullopt : std::optional{outcome.error()});
                 });
                 done(std::move(outcome));
             },
             std::move(listeners.settled)});
    } catch (...) {
        end_own_commit(std::nullopt);  // the commit was not sent
        throw;
    }
}

// ---- the release ----------------------------------------------------------------------------

core::local_queue::next local_hold::next_after_release() const noexcept {
    return commits_ != 0 || doubtful_ ? core::local_queue::next::give_back
                                      : core::local_queue::next::pass_on;
}

boottime_clock::duration local_hold::release_limit() const {
    return contender_->release_limit();
}

// Waits only if the process has given the contender up. If the process handed the contender over to another caller, or
// keeps it for later callers, the release has sent no request.
result<void> local_hold::await_release(boottime_clock::time_point deadline) {
    base::unique_lock lock{mutex_};
    const auto contender = given_back_;
    if (!contender) return state_.is_lost() ? result<void>{*state_.why()} : result<void>{};
    lock.unlock();
    return contender->release(deadline);
}

}  // namespace turnstile::detail
