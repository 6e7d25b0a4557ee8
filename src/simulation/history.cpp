// SPDX-License-Identifier: Apache-2.0
#include "simulation/history.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::simulation {

std::string history::tag(acquisition_key key) {
    return fmt::format("client {} acquisition {}", key.first,
                       static_cast<std::uint64_t>(key.second));
}

void history::on_created(const std::string& znode, const std::string& data, session_id session,
                         std::int64_t zxid, arrival came) {
    const auto slash = znode.rfind('/');
    const auto name = core::parse_contender(znode.substr(slash + 1));
    if (!name) return;
    const auto folder = znode.substr(0, slash);
    auto& all = contenders_[folder];
    auto place = zxid;
    for (const auto& earlier : all)  // renamed in one transaction: the place stays
        if (earlier.deleted == zxid && earlier.session == session && earlier.data == data)
            place = earlier.place;
    places_[znode] = {folder, all.size()};
    contender_record record;
    record.folder = folder;
    record.znode = znode;
    record.data = data;
    record.session = session;
    record.wants = name->wants;
    record.created = zxid;
    record.place = place;
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
    if (why == removal::by_hand || forced(*record)) tampered_.insert(record->folder);
}

void history::on_multi(const core::multi_op& multi) {
    const auto removed =
        std::count_if(multi.parts.begin(), multi.parts.end(), [this](const core::multi_part& part) {
            const auto* gone = std::get_if<core::remove_op>(&part);
            return gone != nullptr && find(gone->path) != nullptr;
        });
    if (removed > 1) ++batches_;
}

void history::on_limit(const std::string& folder, const core::permit_limit& permits,
                       std::int64_t zxid) {
    limits_[folder].push_back({zxid, permits.now, core::is_open(permits)});
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

contender_record* history::find(const std::string& znode) {
    const auto found = places_.find(znode);
    if (found == places_.end()) return nullptr;
    return &contenders_.at(found->second.first)[found->second.second];
}

contender_record* history::in_place_of(const std::string& znode) {
    auto* record = find(znode);
    if (record == nullptr || record->deleted == 0) return record;
    for (auto& other : contenders_.at(record->folder))
        if (other.created == record->deleted && other.place == record->place) record = &other;
    return record;
}

const std::vector<contender_record>& history::of(const std::string& folder) const {
    static const std::vector<contender_record> none;
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

const contender_record* history::standing_of(acquisition_key key) const {
    const auto name = tag(key);
    for (const auto& record : of(acquisitions.at(key).folder))
        if (record.deleted == 0 && record.came == arrival::in_time && record.data == name)
            return &record;
    return nullptr;
}

bool history::forced(const contender_record& record) const {
    return record.why == removal::by_hand ||
           (record.why == removal::with_session && closed_by_hand_.contains(record.session));
}

}  // namespace turnstile::simulation
