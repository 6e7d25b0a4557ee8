// SPDX-License-Identifier: Apache-2.0
// session_hold: the call of one contender of a session, from the request until the contender's znode is gone.
//
// The session reports events by `tell`, in order, under the session's lock. `tell` only records and enqueues.
// client/call.hpp describes how the events reach the caller.
//
//     held_state   the state of a session_hold after the grant
//
// Thread safety: all members from any thread. Lock order: the session's lock, this lock, the queues' locks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/cold.hpp"
#include "base/shared_text.hpp"
#include "client/acquire_request.hpp"
#include "client/session_calls.hpp"
#include "client/session_runner.hpp"
#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile::detail {

class session_hold;

// The state of a session_hold after the grant. It has the znode, the token and the changes of the kind of lock
// (renamings). It also has the hold that ends together with this hold, and counts the commits of other holds that check
// this hold's znode.
//
// Thread safety: a value under the hold's lock.
class held_state {
public:
    // ---- the hold's znode --------------------------------------------------------------------
    // `name` is the last part of the znode's path.
    void on_granted(const core::granted& news, std::string_view name) {
        token_ = news.token;
        znode_ = news.znode;
        if (const auto parsed = core::parse_contender(name)) kind_ = parsed->wants.kind;
    }
    [[nodiscard]] const std::string& znode() const noexcept { return znode_; }
    [[nodiscard]] const turnstile::fencing_token& token() const noexcept { return token_; }
    [[nodiscard]] core::claim_kind kind() const noexcept { return kind_; }
    void raise_token(const turnstile::fencing_token& least) { token_ = std::max(token_, least); }

    // ---- changes of the kind of lock (renamings) ---------------------------------------------
    // Called before the hold requests another kind of lock from its session, for example writer instead of reader.
    void begin_renaming(core::claim_kind to) { renamed_.change().asked_for = to; }
    void on_renamed(const core::renamed& news) {
        auto& answered = renamed_.change();
        znode_ = news.znode;
        answered.refused = news.refused;
        ++answered.answered;
        if (news.refused) return;
        raise_token(turnstile::fencing_token{token_.zxid(), token_.counter() + 1});
        raise_token(news.token);
        kind_ = answered.asked_for.value_or(kind_);
    }
    [[nodiscard]] unsigned renamings() const noexcept { return renamed_->answered; }
    // Reason for which the last renaming was refused; empty if it was not refused.
    [[nodiscard]] const std::optional<error>& refusal() const noexcept { return renamed_->refused; }

    // ---- the tied hold, which ends if this hold is lost --------------------------------------
    void tie(const std::shared_ptr<session_hold>& other) { tied_ = other; }
    [[nodiscard]] std::shared_ptr<session_hold> tied() const noexcept { return tied_.lock(); }

    // ---- commits by other holds that check this hold's znode ----------------------------------
    void begin_commit() noexcept { ++checked_by_; }
    [[nodiscard]] bool is_checked() const noexcept { return checked_by_ != 0; }
    // If this was the last commit, and a release waits for the commits, returns the reason of that release.
    [[nodiscard]] std::optional<error> end_commit() noexcept {
        return --checked_by_ == 0 ? std::exchange(left_, std::nullopt) : std::nullopt;
    }
    // Makes a release wait for the commits. Returns false if no commit is in progress.
    [[nodiscard]] bool defer_leave(const error& why) {
        if (is_checked()) left_ = why;
        return is_checked();
    }

private:
    struct renaming {
        std::optional<core::claim_kind> asked_for;
        unsigned answered = 0;
        std::optional<error> refused;
    };

    turnstile::fencing_token token_;
    core::claim_kind kind_ = core::claim_kind::lock;
    std::string znode_;
    std::weak_ptr<session_hold> tied_;
    base::cold<renaming> renamed_;
    unsigned checked_by_ = 0;
    std::optional<error> left_;
};

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
