// SPDX-License-Identifier: Apache-2.0
#include "verification/search/servers.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace turnstile::search {

servers::servers(wrong_world wrong) : wrong_{wrong}, administrator_{tree_.open_session()} {
    (void)tree_.apply(administrator_, core::create_op{k_folder, {}}, 0);
    look();
}

done servers::execute(session_name session, const server_act& request) {
    breach_.clear();
    auto result = std::visit([&](const auto& entry) { return act(session, entry); }, request);
    if (wrong_ == wrong_world::herd) tell_everybody(result.told);
    judge_woken(result.told);
    if (wrong_ == wrong_world::lost_watch) result.told.clear();
    look();
    return result;
}

// ---- the servers' acts ----------------------------------------------------------------------

done servers::act(session_name session, const core::operation& op) {
    const auto raw = sessions_.find(session);
    auto applied = tree_.apply(raw == sessions_.end() ? 0 : raw->second, op, 0);
    auto& reply = applied.reply;
    core::stat shown;
    const auto* get = std::get_if<core::get_op>(&op);
    shown.czxid = number_of(get != nullptr ? get->path : reply.path);
    if (reply.stat.ephemeral_owner != 0)
        shown.ephemeral_owner = name_of(reply.stat.ephemeral_owner);
    reply.stat = shown;
    if (wrong_ == wrong_world::blind_list) hide_what_is_in_front(session, reply);
    return {std::move(reply), rename(applied.events)};
}

// Sets the client's watches again on a new connection. Contenders' data never change, so the client can have missed
// only deletions.
done servers::act(session_name session, const set_again& again) {
    auto missed = rename(tree_.restore_watches(sessions_.at(session), again.watches, tree_.zxid()));
    if (again.told == set_again::order::backwards) std::reverse(missed.begin(), missed.end());
    return {{}, std::move(missed)};
}

done servers::act(session_name session, const forget_watch& forgotten) {
    tree_.forget_watches(sessions_.at(session), forgotten.path);
    return {};
}

done servers::act(session_name session, const open_session&) {
    sessions_[session] = tree_.open_session();
    return {};
}

done servers::act(session_name session, const close_session&) {
    const auto raw = sessions_.extract(session);
    if (!raw) return {};  // the client gave up the session before this answer
    const auto events = tree_.close_session(raw.mapped());
    return {{}, rename(events)};
}

done servers::act(session_name session, const drop_watches&) {
    if (has(session)) tree_.drop_watches(sessions_.at(session));
    return {};
}

done servers::act(session_name, const remove_by_hand& removal) {
    const auto at = std::find_if(standing_.begin(), standing_.end(),
                                 [&](const contender& c) { return c.number == removal.which; });
    by_hand_.insert(removal.which);
    const auto path = std::string{k_folder} + '/' + at->name;
    return {{}, rename(tree_.apply(administrator_, core::remove_op{path}, 0).events)};
}

// ---- names ----------------------------------------------------------------------------------

session_name servers::name_of(local::session_id raw) const {
    const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                    [raw](const auto& entry) { return entry.second == raw; });
    return found == sessions_.end() ? 0 : found->first;
}

std::vector<told_watch> servers::rename(const std::vector<local::fired_watch>& events) {
    std::vector<told_watch> result;
    for (const auto& event : events)
        result.push_back({name_of(event.session), event.kind, event.path});
    // The tree orders sessions by their opening, which depends on the interleaving.
    std::stable_sort(result.begin(), result.end(), [](const told_watch& a, const told_watch& b) {
        return a.session < b.session;
    });
    return result;
}

void servers::look() {
    standing_.clear();
    const auto& folder = *tree_.nodes().find(k_folder);
    for (const auto& name : folder.children) {
        const auto* node = tree_.nodes().find(std::string{k_folder} + '/' + name);
        standing_.push_back({name, number_of(name), name_of(node->owner)});
    }
    std::sort(standing_.begin(), standing_.end(),
              [](const contender& a, const contender& b) { return a.number < b.number; });

    key_ = fmt::format("{};", folder.creates);
    for (const auto& entry : standing_) key_ += fmt::format("{} {};", entry.name, entry.owner);
    for (const auto& [name, raw] : sessions_) {
        key_ += fmt::format("{}:", name);
        for (const auto& path : tree_.watched_by(raw)) key_ += path + ',';
    }
    for (const auto which : by_hand_) key_ += fmt::format("-{}.", static_cast<unsigned>(which));
    key_ += breach_;
}

// ---- faulty servers (wrong_world in bounds.hpp), and the check of promise G3 (no herd) ------

void servers::hide_what_is_in_front(session_name session, core::reply& answer) const {
    if (standing_.empty() || standing_.front().owner == session) return;
    std::erase(answer.children, standing_.front().name);
}

void servers::tell_everybody(std::vector<told_watch>& told) const {
    if (told.empty()) return;
    const auto first = told.front();
    told.clear();
    for (const auto& [name, raw] : sessions_) told.push_back({name, first.kind, first.path});
}

// Promise G3: the deletion of a znode may wake its owner and one other session. A deletion by an operator may wake more
// sessions.
void servers::judge_woken(const std::vector<told_watch>& told) {
    if (!by_hand_.empty()) return;
    std::map<std::string, std::set<session_name>> woken;
    for (const auto& entry : told) {
        if (entry.kind != core::watch_kind::deleted) continue;
        const auto owner = std::find_if(standing_.begin(), standing_.end(), [&](const auto& c) {
            return number_of(entry.path) == c.number && c.owner == entry.session;
        });
        if (owner == standing_.end()) woken[entry.path].insert(entry.session);
    }
    for (const auto& [path, sessions] : woken) {
        if (sessions.size() > 1)
            breach_ = "G3: the deletion of " + path + " wakes more than one session";
    }
}

}  // namespace turnstile::search
