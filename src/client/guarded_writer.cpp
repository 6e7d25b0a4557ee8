// SPDX-License-Identifier: Apache-2.0
#include "client/guarded_writer.hpp"

#include <utility>

#include "base/out_of_memory.hpp"
#include "client/write_parts.hpp"

namespace turnstile::detail {

namespace {

core::cancel stop_of(core::commit_id commit) {
    return {commit, {errc::cancelled, "the commit"}};
}

}  // namespace

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

}  // namespace turnstile::detail
