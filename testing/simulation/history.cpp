// SPDX-License-Identifier: Apache-2.0
#include "simulation/history.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::simulation {

std::string history::tag(contender_key key) {
    return fmt::format("client {} contender {}", key.first, static_cast<std::uint64_t>(key.second));
}

void history::on_created(const std::string& znode, const std::string& data, session_id session,
                         std::int64_t zxid, arrival came) {
    const auto slash = znode.rfind('/');
    const auto name = core::parse_contender(znode.substr(slash + 1));
    if (!name) return;
    const auto folder = znode.substr(0, slash);
    auto& all = contenders_[folder];
    places_[znode] = {folder, all.size()};
    znode_record record;
    record.place = zxid;
    // If one transaction deletes a contender's old znode and creates this znode, it renames the contender, which
    // keeps its place in the queue. If the old znode existed only because the servers had lost its deletion, this
    // znode exists for the same reason.
    for (const auto& earlier : all) {
        if (earlier.deleted != zxid || earlier.session != session || earlier.data != data) continue;
        record.place = earlier.place;
        record.returned_at = earlier.returned_at;
        record.was_forced = earlier.was_forced;
    }
    record.folder = folder;
    record.znode = znode;
    record.data = data;
    record.session = session;
    record.wants = name->wants;
    record.created = zxid;
    record.came = came;
    all.push_back(std::move(record));
    created_.push_back(znode);
}

void history::on_deleted(const std::string& znode, std::int64_t zxid, removal why, instant when) {
    auto* record = find(znode);
    if (record == nullptr || record->deleted != 0) return;
    record->deleted = zxid;
    record->why = why;
    record->deleted_at = when;
    record->by_force = why == removal::by_hand ||
                       (why == removal::with_session && closed_by_hand_.contains(record->session));
    if (record->by_force) tampered_.insert(record->folder);
}

void history::on_lost_data(std::int64_t kept, instant when, bool answered) {
    lost_after_ = std::min(kept, lost_after_.value_or(kept));
    if (answered) lost_data_at_ = when;
    for (auto& [folder, all] : contenders_) {
        for (auto& record : all) {
            if (record.created > kept) {
                if (record.deleted != 0) continue;
                record.deleted = std::max(kept, record.created) + 1;
                record.why = removal::lost;
                record.deleted_at = when;
            } else if (record.deleted > kept) {
                const bool over = record.why == removal::with_session && !record.by_force;
                if (record.why == removal::by_owner || over) record.was_given_up = true;
                if (record.by_force || record.why == removal::after_order) record.was_forced = true;
                record.deleted = 0;
                record.why = removal::none;
                record.by_force = false;
                record.returned_at = when;
                record.woken.clear();
                // Another znode may have had this name, if the contender was renamed back and forth.
                places_[record.znode] = {folder, static_cast<std::size_t>(&record - all.data())};
            }
            if (answered) tampered_.insert(folder);
        }
    }
    for (auto& [path, changes] : presences_)
        changes.erase(changes.upper_bound(kept), changes.end());
    for (auto& [folder, all] : limits_)
        std::erase_if(all, [kept](const limit& change) { return change.since > kept; });
    const auto is_lost = [kept](const auto& change) { return change.second > kept; };
    std::erase_if(changed_by_hand_, is_lost);
    std::erase_if(closed_by_hand_, is_lost);
}

void history::on_presence(const std::string& path, std::int64_t zxid, bool there) {
    if (there || presences_.contains(path)) presences_[path][zxid] = there;
}

bool history::stood(const std::string& path, std::int64_t zxid) const {
    const auto found = presences_.find(path);
    if (found == presences_.end()) return false;
    const auto later = found->second.upper_bound(zxid);
    return later != found->second.begin() && std::prev(later)->second;
}

void history::on_multi(const core::multi_op& multi) {
    const auto removed =
        std::count_if(multi.parts.begin(), multi.parts.end(), [this](const core::multi_part& part) {
            const auto* gone = std::get_if<core::remove_op>(&part);
            return gone != nullptr && find(gone->path) != nullptr;
        });
    if (removed > 1) ++batches_;
    const auto creates =
        std::count_if(multi.parts.begin(), multi.parts.end(), [](const core::multi_part& part) {
            const auto* create = std::get_if<core::create_op>(&part);
            return create != nullptr && core::is_sequential(create->mode);
        });
    if (creates > 1) ++creation_batches_;
}

void history::on_limit(const std::string& folder, const core::permit_limit& permits,
                       std::int64_t zxid) {
    limits_[folder].push_back({zxid, permits.now, core::is_open(permits)});
    auto& most = most_permits_[folder];
    most = std::max(most, permits.now);
}

std::int32_t history::most_permits(const std::string& folder) const {
    const auto found = most_permits_.find(folder);
    return found == most_permits_.end() ? 0 : found->second;
}

const std::vector<history::limit>& history::limits(const std::string& folder) const {
    static const std::vector<limit> none;
    const auto found = limits_.find(folder);
    return found == limits_.end() ? none : found->second;
}

void history::on_changed_by_hand(const std::string& znode, std::int64_t zxid) {
    if (const auto* record = find(znode)) {
        tampered_.insert(record->folder);
    } else {
        changed_by_hand_[znode] = zxid;
    }
}

znode_record* history::find(const std::string& znode) {
    const auto found = places_.find(znode);
    if (found == places_.end()) return nullptr;
    return &contenders_.at(found->second.first)[found->second.second];
}

znode_record* history::in_place_of(const std::string& znode) {
    auto* record = find(znode);
    if (record == nullptr || record->deleted == 0) return record;
    for (auto& other : contenders_.at(record->folder))
        if (other.created == record->deleted && other.place == record->place) record = &other;
    return record;
}

const std::vector<znode_record>& history::of(const std::string& folder) const {
    static const std::vector<znode_record> none;
    const auto found = contenders_.find(folder);
    return found == contenders_.end() ? none : found->second;
}

std::vector<std::string> history::standing() const {
    std::vector<std::string> result;
    for (const auto& [folder, all] : contenders_)
        for (const auto& record : all)
            if (record.deleted == 0) result.push_back(record.znode);
    return result;
}

const znode_record* history::standing_of(contender_key key) const {
    const auto name = tag(key);
    for (const auto& record : of(contenders.at(key).folder))
        if (record.deleted == 0 && record.came == arrival::in_time && record.data == name)
            return &record;
    return nullptr;
}

}  // namespace turnstile::simulation
