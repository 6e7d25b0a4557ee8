// SPDX-License-Identifier: Apache-2.0
// session_hold: the call of one contender of a session, from the request until the contender's znode is gone.
//
// The session reports events by `tell`, in order, under the session's lock. `tell` only records and enqueues.
// client/call.hpp describes how the events reach the caller.
//
// Thread safety: all members from any thread. Lock order: the session's lock, this lock, the queues' locks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/cold.hpp"
#include "base/shared_text.hpp"
#include "client/acquire_request.hpp"
#include "client/held_state.hpp"
#include "client/session_call.hpp"
#include "client/session_runner.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::detail {

class session_hold final : public session_call, public znode_hold {
public:
    // Moves the options and functions out of `request`. Leaves request.message, which contains the contender's id,
    // unchanged for the caller. The session must have reserved room.
    session_hold(std::shared_ptr<session_runner> session, acquire_request& request);

    // ---- functions for the session ---------------------------------------------------------
    [[nodiscard]] bool tell(const core::notice& news, const std::shared_ptr<lease_view>& lease,
                            std::uint64_t connection) override;
    void tell_contended() const override { (*on_contended_)(); }
    bool post_trigger() override;

    [[nodiscard]] const std::shared_ptr<session_runner>& session() const noexcept {
        return session_;
    }

    friend void unlock_together(const std::vector<std::shared_ptr<hold>>& all);

    // ---- functions for holds of a read-write lock ------------------------------------------
    // Changes the kind of the hold. Waits for the servers' answer, or for the end of the lease.
    result<void> rename(core::claim_kind kind);
    [[nodiscard]] core::claim_kind kind() const;
    // Ties this hold to `other`, which holds or waits: if this hold is lost, `other` ends. Replaces an earlier `other`.
    void tie(const std::shared_ptr<session_hold>& other);
    // Ends the hold as if the servers had reported its loss. Called under no lock.
    void lose_with(const error& why);
    // Makes `token` the hold's token, unless the hold's own token is larger.
    void raise_token(const turnstile::fencing_token& token);

    // ---- functions for the guard -----------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return path_.str(); }
    [[nodiscard]] std::string znode() const override;
    [[nodiscard]] turnstile::fencing_token token() const noexcept override;
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] result<znode_holds> parts_for_commit() override;
    [[nodiscard]] standing_znode standing() const override;
    [[nodiscard]] result<void> status() const override { return call::status(); }
    [[nodiscard]] result<void> begin_commit() override;
    void end_commit(const std::optional<error>& why) noexcept override;
    result<commit_result> commit(const transaction& writes, const std::vector<std::string>& further,
                                 const commit_options& options) override;
    void async_commit(const transaction& writes, const std::vector<std::string>& further,
                      const commit_options& options, commit_audience&& listeners) override;
    [[nodiscard]] vantage granted_at() const override;
    [[nodiscard]] result<seen_node> read(const std::string& path,
                                         boottime_clock::time_point deadline,
                                         const std::stop_token& stop) override;
    [[nodiscard]] boottime_clock::duration release_limit() const override;

private:
    class reception;
    [[nodiscard]] error doubt() const override REQUIRES(mutex_);
    void cancel(const error& why) noexcept override;
    void leave(const error& why) noexcept override;
    void post(task callback) override;
    [[nodiscard]] answer_reader* answered_by() const noexcept override { return session_.get(); }

    // Postpones the release until other holds have ended their commits that check this hold. Returns false if no such
    // commit is in progress.
    [[nodiscard]] bool defer_leave(const error& why);
    [[nodiscard]] result<void> await_release(boottime_clock::time_point deadline) override;
    void post_answer() REQUIRES(mutex_);
    void trigger_all_lost();

    // These two small members are declared first, so that they fill the padding of the base class. This keeps a
    // session_hold small, because a client may have very many waiters.
    const acquire_request::answers where_;
    bool gone_ GUARDED_BY(mutex_) = false;  // true: the servers have removed the znode
    const std::shared_ptr<session_runner> session_;
    const core::contender_id id_;
    const base::shared_text path_;
    const base::cold<std::function<void()>> on_contended_;

    // State that only a holder has. It is a separate allocation, so that each of very many waiters needs only a
    // pointer. This class writes the state before the guard exists, and only reads it afterwards.
    struct rights {
        std::shared_ptr<lease_view> lease;
        boottime_clock::time_point limit = boottime_clock::time_point::max();  // from max_hold
        std::uint64_t connection = 0;  // the connection of the grant
    };
    base::cold<rights> rights_;
    base::cold<held_state> held_ GUARDED_BY(mutex_);
};

// Calls unlock() of each hold in the order of `all`, but releases the holds of one session together.
void unlock_together(const std::vector<std::shared_ptr<hold>>& all);

}  // namespace turnstile::detail
