// session_context: what an acquisition sees of its session during one call, and how the session
// calls it. Only for session_core's own sources.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/contender_name.hpp"
#include "core/session_core.hpp"

namespace turnstile::core {

// The znodes of abandoned creates are removed by acquisitions of the session's own, with ids from here
// on. Nobody waits for them: what they tell is dropped.
inline constexpr std::uint64_t k_first_leftover = std::uint64_t{1} << 63U;

class session_core::context final : public acquisition_context {
public:
    context(session_core& session, acquisition_id who) : session_{session}, who_{who} {}

    [[nodiscard]] bool attached() const override { return session_.attached_; }
    [[nodiscard]] std::uint64_t connection() const override { return session_.connection_; }
    [[nodiscard]] std::int64_t session_id() const override { return session_.session_id_; }
    [[nodiscard]] bool lease_valid() const override { return session_.lease_.valid(session_.now_); }
    [[nodiscard]] acl_policy acl() const override { return session_.settings_.acl; }
    [[nodiscard]] create_mode parent_mode() const override {
        return session_.containers_ ? create_mode::container : create_mode::persistent;
    }
    void containers_unsupported() override { session_.containers_ = false; }

    std::string new_guid() override { return base::make_guid(session_.chance_); }
    ticket submit(operation&& op) override {
        const bool write = is_write(op);
        return session_.send(std::move(op), {to_acquisition{who_}, write});
    }
    void watch(const std::string& path) override {
        session_.watches_.add(path, who_);
        session_.forget_later_.erase(path);
    }
    void unwatch(const std::string& path) override {
        if (!session_.watches_.remove(path, who_)) return;
        if (session_.attached_) {
            session_.actions_.emplace_back(forget_watches{path});
        } else {
            session_.forget_later_.insert(path);
        }
    }
    void saw(const std::string& folder, const std::vector<std::string>& children) override {
        session_.remove_abandoned(folder, children);
    }
    void abandon(const std::string& guid) override {
        const auto& folder = session_.acquisitions_.at(who_).value.settings().folder;
        session_.abandoned_.add(folder, guid, session_.now_, session_.lease_.timeout());
    }
    void replace_session(const std::string& reason) override { session_.replace_ = reason; }
    void retry_later() override { session_.retry_later(); }
    void tell(decltype(notice::what)&& what) override {
        if (static_cast<std::uint64_t>(who_) >= k_first_leftover) return;
        session_.actions_.emplace_back(notice{who_, std::move(what)});
    }

private:
    session_core& session_;
    acquisition_id who_;
};

template <class F>
void session_core::with(acquisition_id who, F&& call) {
    const auto found = acquisitions_.find(who);
    if (found == acquisitions_.end()) return;
    auto& one = found->second;
    const auto before = one.value.owned_bytes();
    context c{*this, who};
    call(one.value, c);
    owned_bytes_ = owned_bytes_ - before + one.value.owned_bytes();
    keep_sets(who, one);
    if (one.value.over()) acquisitions_.erase(found);
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
