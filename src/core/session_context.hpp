// session_context: what an acquisition sees of its session during one call, and how the session
// calls it. Only for session_core's own sources.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/contender_name.hpp"
#include "core/session_core.hpp"

namespace turnstile::core {

// Old GUIDs are kept to remove what should not be there; beyond this many the oldest ones go (a
// random one does: they are ordered by value), since finding one of them is a second defence only.
inline constexpr std::size_t k_max_abandoned = 1024;

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
        if (session_.abandoned_.empty()) return;
        for (const auto& child : children) {
            const bool ours =
                std::any_of(session_.abandoned_.begin(), session_.abandoned_.end(),
                            [&child](const auto& guid) { return made_by(child, guid); });
            if (ours) session_.send(remove_op{folder + '/' + child}, {to_nobody{}, true});
        }
    }
    void abandon(const std::string& guid) override {
        auto& known = session_.abandoned_;
        if (known.size() >= k_max_abandoned) known.erase(known.begin());
        known.insert(guid);
    }
    void replace_session(const std::string& reason) override { session_.replace_ = reason; }
    void retry_later() override { session_.retry_later(); }
    void tell(decltype(notice::what)&& what) override {
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
