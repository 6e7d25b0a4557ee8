// SPDX-License-Identifier: Apache-2.0
// guarded_writer: passes guarded writes of a hold to the core, and the core's outcome to the caller.
//
// Thread safety: a value; its functions from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/commit_call.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

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

}  // namespace turnstile::detail
