// SPDX-License-Identifier: Apache-2.0
// Commits under a session_hold, and the commits of other holds that check its znode.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/out_of_memory.hpp"
#include "client/commit_call.hpp"
#include "client/session_hold.hpp"
#include "client/write_parts.hpp"

namespace turnstile::detail {

namespace {

core::cancel stop_of(core::commit_id commit) {
    return {commit, {errc::cancelled, "the commit"}};
}

// Passes guarded writes of a hold to the core, and the core's outcome to the caller.
class guarded_writer {
public:
    guarded_writer(std::shared_ptr<session_runner> session, core::contender_id hold)
        : session_{std::move(session)}, hold_{hold} {}

    // commit() and async_commit() commit the transaction if the hold's znode and the znodes in `further` exist.
    // `further` has the znodes of further holds. commit() waits for the outcome, and is a Boost interruption point.
    [[nodiscard]] result<commit_result> commit(const transaction& writes,
                                               std::vector<std::string> further,
                                               const commit_options& options) const;
    void async_commit(const transaction& writes, std::vector<std::string> further,
                      const commit_options& options, commit_audience&& listeners) const;

private:
    core::commit_id start(const transaction& writes, std::vector<std::string>&& further,
                          const commit_options& options,
                          const std::shared_ptr<commit_call>& caller) const;

    const std::shared_ptr<session_runner> session_;
    const core::contender_id hold_;
};

core::commit_id guarded_writer::start(const transaction& writes, std::vector<std::string>&& further,
                                      const commit_options& options,
                                      const std::shared_ptr<commit_call>& caller) const {
    const auto id = session_->next_id<core::commit_id>();
    const auto given = options.timeout.deadline();
    caller->listen(options.stop, [weak = std::weak_ptr{session_}, id] {
        if (const auto session = weak.lock())
            base::finish_or_end("a stop request", [&] { session->tell(stop_of(id)); });
    });
    const auto acl = session_->services().acl;
    session_->commit({id, hold_, write_parts_of(writes, acl), given, std::move(further)}, caller);
    if (options.stop.stop_requested())
        session_->tell(stop_of(id));  // a stop before the commit has cancelled nothing
    return id;
}

result<commit_result> guarded_writer::commit(const transaction& writes,
                                             std::vector<std::string> further,
                                             const commit_options& options) const {
    const auto chroot = session_->services().servers->chroot().size();
    const auto own = std::make_shared<commit_call>(writes, chroot);
    const auto id = start(writes, std::move(further), options, own);
    return base::finish_or_end("a commit", [&] {
        // An interrupted caller cancels the commit. The core answers during this tell(), so take() has a result.
        if (!own->await(caller_help{session_.get()}))
            session_->tell(core::cancel{id, {errc::interrupted, "the commit"}});
        return own->take();
    });
}

void guarded_writer::async_commit(const transaction& writes, std::vector<std::string> further,
                                  const commit_options& options,
                                  commit_audience&& listeners) const {
    const auto& services = session_->services();
    const auto own = std::make_shared<commit_call>(writes, services.servers->chroot().size(),
                                                   std::move(listeners));
    start(writes, std::move(further), options, own);
    services.callbacks->pump();
}

}  // namespace

result<hold::znode_holds> session_hold::parts_for_commit() {
    return znode_holds{std::static_pointer_cast<session_hold>(shared_from_this())};
}

znode_hold::standing_znode session_hold::standing() const {
    return {session_->services().servers->describe(), znode()};
}

result<void> session_hold::begin_commit() {
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_given_up())
            return error{errc::not_held, path() + ": the program has released the hold"};
        held_.change().begin_commit();
    }
    auto still = status();
    if (!still) end_commit(std::nullopt);
    return still;
}

// Called at the end of another hold's commit: executes a release or a renaming that had to wait. A commit checks this
// hold's znode, so the znode must exist until the commit is answered.
void session_hold::end_commit(const std::optional<error>& /*why*/) noexcept {
    std::optional<error> left;
    {
        const base::lock_guard lock{mutex_};
        left = held_.change().end_commit();
        changed_.notify_all();
    }
    if (left) session_->tell(core::leave{id_, std::move(*left)});
}

result<commit_result> session_hold::commit(const transaction& writes,
                                           const std::vector<std::string>& further,
                                           const commit_options& options) {
    if (const auto still = status(); !still) return still.error();
    return guarded_writer{session_, id_}.commit(writes, further, options);
}

void session_hold::async_commit(const transaction& writes, const std::vector<std::string>& further,
                                const commit_options& options, commit_audience&& listeners) {
    if (const auto still = status(); !still)
        return post([told = std::move(listeners), why = still.error()] { told.refuse(why); });
    guarded_writer{session_, id_}.async_commit(writes, further, options, std::move(listeners));
}

}  // namespace turnstile::detail
