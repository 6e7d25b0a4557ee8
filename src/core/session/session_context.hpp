// SPDX-License-Identifier: Apache-2.0
// session_context: what an acquisition sees of its session during one call, and how the session
// calls it. Only for session_core's own sources.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/queue/contender_name.hpp"
#include "core/queue/queue_index.hpp"
#include "core/session/session_core.hpp"

namespace turnstile::core {

// The znodes of abandoned creates are removed by acquisitions of the session's own, with ids from here
// on. Nobody waits for them: what they tell is dropped.
inline constexpr std::uint64_t k_first_leftover = std::uint64_t{1} << 63U;

[[nodiscard]] inline bool enters(const operation& op) noexcept {
    const auto* create = std::get_if<create_op>(&op);
    return create != nullptr && create->mode == create_mode::ephemeral_sequential;
}

// The answer to a list that several share: an index for each family that asks.
class prepared_list {
public:
    explicit prepared_list(const std::vector<std::string>& children) : children_{children} {}
    [[nodiscard]] const queue_index* of(contender_family family) {
        const auto found = made_.find(family);
        if (found != made_.end()) return &found->second;
        return &made_.emplace(family, queue_index{children_, family}).first->second;
    }

private:
    const std::vector<std::string>& children_;
    std::map<contender_family, queue_index> made_;
};

class session_core::context final : public acquisition_context {
public:
    context(session_core& session, acquisition_id who, prepared_list* list = nullptr)
        : session_{session}, who_{who}, prepared_{list} {}

    [[nodiscard]] bool attached() const override { return session_.attached_; }
    [[nodiscard]] std::uint64_t connection() const override { return session_.connection_; }
    [[nodiscard]] std::int64_t session_id() const override { return session_.session_id_; }
    [[nodiscard]] bool lease_valid() const override { return session_.lasts(); }
    [[nodiscard]] acl_policy acl() const override { return session_.settings_.acl; }
    [[nodiscard]] create_mode parent_mode() const override {
        return session_.containers_ ? create_mode::container : create_mode::persistent;
    }
    void containers_unsupported() override { session_.containers_ = false; }

    [[nodiscard]] time_point now() const override { return session_.now_; }
    [[nodiscard]] duration unseen_for() const override { return session_.unseen_for(); }
    [[nodiscard]] duration lengthened(duration wanted) const override {
        return session_.lease_.lengthened(wanted);
    }

    // place: guid_of_a_create
    std::string new_guid() override { return base::make_guid(session_.chance_); }
    ticket submit(operation&& op) override {
        // Whoever enters does not find those of this session in its way that have given up and wait to go.
        if (enters(op)) session_.send_removals(sending::all);
        const bool write = is_write(op);
        return session_.send(std::move(op), {to_acquisition{who_}, write});
    }
    ticket list(const std::string& folder) override { return session_.list_for(who_, folder); }
    ticket remove(const std::string& path, const std::vector<std::string>& watched) override {
        return session_.remove_for(who_, path, watched);
    }
    [[nodiscard]] const queue_index* index(contender_family of) override {
        return prepared_ == nullptr ? nullptr : prepared_->of(of);
    }
    void watch(const std::string& path) override {
        session_.watches_.add(path, who_);
        session_.forget_later_.erase(path);
    }
    void unwatch(const std::string& path) override {
        if (session_.watches_.remove(path, who_)) give_back(path);
    }
    [[nodiscard]] bool has_room_to_watch(std::size_t all, std::size_t more,
                                         std::size_t bytes) const override {
        const auto& limits = session_.settings_.watches;
        const auto added = bytes + more * session_.settings_.chroot;
        // place: room_to_watch
        return all <= limits.leases && session_.watched_bytes() + added <= limits.bytes;
    }
    void unwatch_gone(const std::string& path) override {
        if (session_.watches_.remove_unset(path, who_)) give_back(path);
    }
    void saw(const std::string& folder, const std::vector<std::string>& children) override {
        session_.remove_abandoned(folder, children);
    }
    void abandon(const std::string& guid) override {
        const auto& folder = session_.acquisitions_.at(who_).value.folder();
        // place: remembers_abandoned_create
        session_.abandoned_.add(folder, guid, session_.now_, session_.lease_.timeout());
    }
    void replace_session(const std::string& reason) override { session_.replace_ = reason; }
    void retry_later() override { session_.retry_later(); }
    void tell(decltype(notice::what)&& what) override {
        if (static_cast<std::uint64_t>(who_) >= k_first_leftover) return;
        if (auto* grant = std::get_if<granted>(&what)) limit(*grant);
        const auto* over = std::get_if<lost>(&what);
        const auto why = over == nullptr ? std::nullopt : std::optional{over->why};
        session_.actions_.emplace_back(notice{who_, std::move(what)});
        if (why) session_.lose_commits(who_, *why);
    }

private:
    void give_back(const std::string& path) {
        if (session_.attached_) {
            session_.actions_.emplace_back(forget_watches{path});  // place: watch_given_back
        } else {
            session_.forget_later_.insert(path);  // place: watch_given_back_later
        }
    }
    // From the grant on, by the clock of the session.
    void limit(granted& grant) {
        auto& one = session_.acquisitions_.at(who_);
        if (one.limited->max_hold <= duration{}) return;
        const auto end = session_.now_ + one.limited->max_hold;  // place: max_hold_from_the_grant
        grant.until = one.limited.change().hold_end = end;
        session_.hold_ends_.emplace(end, who_);  // place: max_hold_is_awaited
    }

    session_core& session_;
    acquisition_id who_;
    prepared_list* prepared_;
};

// What the commits of a hold see of their session.
class session_core::commit_context final : public write_context {
public:
    commit_context(session_core& session, acquisition_id hold) : session_{session}, hold_{hold} {}

    [[nodiscard]] own_znode own() const override {
        const auto found = session_.acquisitions_.find(hold_);
        if (found == session_.acquisitions_.end()) return {};
        const auto& one = found->second.value;
        return {one.znode(), one.data(), one.version(), one.settled()};
    }
    [[nodiscard]] bool attached() const override { return session_.attached_; }
    [[nodiscard]] std::uint64_t connection() const override { return session_.connection_; }
    ticket submit(operation&& op) override {
        const bool write = is_write(op);
        return session_.send(std::move(op), {to_writes{hold_}, write});
    }
    void retry_later() override { session_.retry_later(); }
    void version_became(std::int32_t version) override {
        const auto found = session_.acquisitions_.find(hold_);
        if (found != session_.acquisitions_.end()) found->second.value.version_became(version);
    }
    void heed(const reply& answer) override {
        session_.with(hold_,
                      [&answer](acquisition& one, acquisition_context& c) { one.heed(c, answer); });
    }
    void tell(acquisition_id who, commit_outcome&& what) override {
        session_.told_commit(who, std::move(what));
    }

private:
    session_core& session_;
    acquisition_id hold_;
};

// A call may come in the middle of one for the same hold: the outer one sees to the rest.
template <class F>
void session_core::with_writes(acquisition_id hold, F&& call) {
    const auto found = writes_.find(hold);
    if (found == writes_.end()) return;
    commit_context c{*this, hold};
    const bool inner = writing_ == hold;
    if (!inner) writing_ = hold;
    call(found->second, c);
    if (inner) return;
    writing_.reset();
    let_hold_proceed(hold);
}

template <class F>
void session_core::with_all_writes(F&& call) {
    std::vector<acquisition_id> holds;
    for (const auto& [hold, some] : writes_) holds.push_back(hold);
    for (const auto hold : holds) with_writes(hold, call);
}

template <class F>
void session_core::with(acquisition_id who, F&& call, prepared_list* list) {
    const auto found = acquisitions_.find(who);
    if (found == acquisitions_.end()) return;
    auto& one = found->second;
    const auto before = one.value.owned_bytes();
    context c{*this, who, list};
    call(one.value, c);
    owned_bytes_ = owned_bytes_ - before + one.value.owned_bytes();
    keep_sets(who, one);
    const bool may_write = attached_ && one.value.settled();
    if (one.value.over()) acquisitions_.erase(found);
    if (may_write && !writes_.empty()) let_commits_proceed(who);
}

template <class F>
void session_core::with_all(F&& call) {
    for (auto at = acquisitions_.begin(); at != acquisitions_.end();) {
        const auto who = at->first;
        ++at;  // `with` may erase this one, and only this one
        with(who, call);
    }
}

}  // namespace turnstile::core
