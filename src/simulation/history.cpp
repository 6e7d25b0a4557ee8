// SPDX-License-Identifier: Apache-2.0
#include "simulation/history.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::simulation {

std::string history::tag(acquisition_key who) {
    return fmt::format("client {} acquisition {}", who.first,
                       static_cast<std::uint64_t>(who.second));
}

void history::on_created(const std::string& znode, const std::string& data, session_id session,
                         std::int64_t zxid, arrival came) {
    const auto slash = znode.rfind('/');
    const auto name = core::parse_contender(znode.substr(slash + 1));
    if (!name) return;
    const auto folder = znode.substr(0, slash);
    auto& all = contenders_[folder];
    auto place = zxid;
    for (const auto& one : all)  // renamed in one transaction: the place stays
        if (one.deleted == zxid && one.session == session && one.data == data) place = one.place;
    places_[znode] = {folder, all.size()};
    contender_record made;
    made.folder = folder;
    made.znode = znode;
    made.data = data;
    made.session = session;
    made.wants = name->wants;
    made.created = zxid;
    made.place = place;
    made.came = came;
    all.push_back(std::move(made));
    created_.push_back(znode);
}

void history::on_deleted(const std::string& znode, std::int64_t zxid, removal why, instant when) {
    auto* one = find(znode);
    if (one == nullptr || one->deleted != 0) return;
    one->deleted = zxid;
    one->why = why;
    one->deleted_at = when;
    if (why == removal::by_hand || forced(*one)) tampered_.insert(one->folder);
}

void history::on_multi(const core::multi_op& what) {
    const auto removed =
        std::count_if(what.parts.begin(), what.parts.end(), [this](const core::multi_part& part) {
            const auto* gone = std::get_if<core::remove_op>(&part);
            return gone != nullptr && find(gone->path) != nullptr;
        });
    if (removed > 1) ++batches_;
}

void history::on_limit(const std::string& folder, const core::permit_limit& what,
                       std::int64_t zxid) {
    limits_[folder].push_back({zxid, what.now, core::is_open(what)});
}

const std::vector<history::limit>& history::limits(const std::string& folder) const {
    static const std::vector<limit> none;
    const auto found = limits_.find(folder);
    return found == limits_.end() ? none : found->second;
}

void history::on_changed_by_hand(const std::string& znode, std::int64_t zxid) {
    if (const auto* one = find(znode)) {
        tampered_.insert(one->folder);
    } else {
        changed_by_hand_[znode] = zxid;
    }
}

contender_record* history::find(const std::string& znode) {
    const auto found = places_.find(znode);
    if (found == places_.end()) return nullptr;
    return &contenders_.at(found->second.first)[found->second.second];
}

contender_record* history::in_place_of(const std::string& znode) {
    auto* one = find(znode);
    if (one == nullptr || one->deleted == 0) return one;
    for (auto& other : contenders_.at(one->folder))
        if (other.created == one->deleted && other.place == one->place) one = &other;
    return one;
}

const std::vector<contender_record>& history::of(const std::string& folder) const {
    static const std::vector<contender_record> none;
    const auto found = contenders_.find(folder);
    return found == contenders_.end() ? none : found->second;
}

std::vector<std::string> history::standing() const {
    std::vector<std::string> result;
    for (const auto& [folder, all] : contenders_)
        for (const auto& one : all)
            if (one.deleted == 0) result.push_back(one.znode);
    return result;
}

const contender_record* history::standing_of(acquisition_key who) const {
    const auto name = tag(who);
    for (const auto& one : of(acquisitions.at(who).folder))
        if (one.deleted == 0 && one.came == arrival::in_time && one.data == name) return &one;
    return nullptr;
}

bool history::forced(const contender_record& one) const {
    return one.why == removal::by_hand ||
           (one.why == removal::with_session && closed_by_hand_.contains(one.session));
}

}  // namespace turnstile::simulation
