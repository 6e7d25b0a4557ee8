// SPDX-License-Identifier: Apache-2.0
// held_state: the state of a session_hold after the grant. It has the znode, the token and the changes of the kind of
// lock (renamings). It also has the hold that ends together with this hold, and counts the commits of other holds that
// check this hold's znode.
//
// Thread safety: a value under the hold's lock.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/cold.hpp"
#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile::detail {

class session_hold;

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

}  // namespace turnstile::detail
