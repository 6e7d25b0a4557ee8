// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/survey_turns.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/path.hpp"
#include "core/queue/permits.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/operator/listed_lock.hpp"

namespace turnstile::detail {
namespace {

using core::server_error;

// A folder whose queue changed in the latest k_lately rounds is likely to change again.
constexpr std::uint64_t k_lately = 32;
constexpr std::uint64_t k_weight_of_change = 8;
// A round first reads this many contenders of each lock in round_options::first, and then all other contenders.
constexpr std::size_t k_looked_at = 50;

// Keeps the `most` elements with the lowest values of urgency(), the lowest first.
template <class T, class F>
void keep_most_urgent(std::vector<T>& all, std::size_t most, const F& urgency) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
    std::partial_sort(all.begin(), end, all.end(),
                      [&](const T& a, const T& b) { return urgency(a) < urgency(b); });
    all.erase(end, all.end());
}

}  // namespace

std::size_t depth_within(std::vector<std::size_t> lengths, std::size_t most) {
    std::sort(lengths.begin(), lengths.end());
    std::size_t left = most;
    for (std::size_t i = 0; i != lengths.size(); ++i) {
        const std::size_t share = left / (lengths.size() - i);
        if (lengths[i] > share) return std::max<std::size_t>(share, 1);
        left -= lengths[i];
    }
    return most;
}

survey_turns::survey_turns(std::string folder, std::size_t most_read)
    : root_{std::move(folder)}, most_read_{most_read} {
    begin_anew();
}

void survey_turns::begin_anew() {
    folders_.clear();
    add(root_);
}

void survey_turns::begin_round(const std::vector<std::string>& first) {
    ++round_;
    first_ = {first.begin(), first.end()};
}

void survey_turns::add(const std::string& path) {
    auto& record = folders_[path];
    record.path = path;
    record.found = ++found_;
}

void survey_turns::forget(const std::string& path) {
    folders_.erase(path);
    const auto below = base::child_path(path, "");
    auto each = folders_.lower_bound(below);
    while (each != folders_.end() && each->first.starts_with(below)) each = folders_.erase(each);
}

// ---- lists ----------------------------------------------------------------------------------

std::size_t survey_turns::unlisted_count() const {
    return static_cast<std::size_t>(
        std::count_if(folders_.begin(), folders_.end(),
                      [](const auto& each) { return each.second.listed == 0; }));
}

std::vector<std::string> survey_turns::unlisted(std::size_t most) const {
    std::vector<const folder_record*> found;
    for (const auto& [path, record] : folders_)
        if (record.listed == 0) found.push_back(&record);
    keep_most_urgent(found, most, [](const auto* record) { return record->found; });
    std::vector<std::string> paths;
    for (const auto* record : found) paths.push_back(record->path);
    return paths;
}

// The folder with the smallest value is listed next. The value falls with each round since the folder was last listed,
// so each folder is listed at some time. It falls faster for a folder that has changed lately.
std::uint64_t survey_turns::urgency_of(const folder_record& record) const {
    if (is_first(record)) return 0;
    const bool lately = record.changed + k_lately >= round_;
    return ~((round_ - record.listed) * (lately ? k_weight_of_change : 1));
}

std::vector<std::string> survey_turns::due_folders(std::size_t most) const {
    std::vector<std::pair<std::uint64_t, const folder_record*>> found;
    for (const auto& [path, record] : folders_)
        if (record.listed != 0 && record.listed != round_)
            found.emplace_back(urgency_of(record), &record);
    keep_most_urgent(found, most, [](const auto& each) {
        return std::pair{each.first, each.second->found};
    });
    std::vector<std::string> paths;
    for (const auto& [urgency, record] : found) paths.push_back(record->path);
    return paths;
}

result<void> survey_turns::list(const std::string& folder, core::reply answer,
                                core::time_point now) {
    const auto found = folders_.find(folder);
    if (found == folders_.end()) return {};  // the folder above is gone
    const bool gone = answer.error == server_error::no_node;
    if (gone && folder != root_) {
        forget(folder);
        return {};
    }
    const bool closed = answer.error == server_error::no_auth;
    if (!gone && !closed && answer.error != server_error::ok)
        return query_refusal(answer.error, folder);
    auto& record = found->second;
    const bool known = record.listed != 0 && !record.unreadable && !closed;
    const bool same = known && !gone && answer.stat.pzxid != 0 && answer.stat.pzxid == record.pzxid;
    record.listed = round_;
    record.listed_at = now;
    record.unreadable = closed;
    if (same) return {};
    record.pzxid = answer.stat.pzxid;
    record.changed = round_;
    auto sorted = sort_children(std::move(answer.children));
    update_locks(record, std::move(sorted.locks));
    update_folders(record, std::move(sorted.folders));
    if (folders_.size() <= k_most_folders) return {};
    begin_anew();
    return too_many_folders(root_);
}

void survey_turns::update_folders(folder_record& record, std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    const auto before = std::exchange(record.folders, names);
    std::vector<std::string> gone;
    std::set_difference(before.begin(), before.end(), names.begin(), names.end(),
                        std::back_inserter(gone));
    std::vector<std::string> fresh;
    std::set_difference(names.begin(), names.end(), before.begin(), before.end(),
                        std::back_inserter(fresh));
    const auto path = record.path;
    for (const auto& name : gone) forget(base::child_path(path, name));
    for (const auto& name : fresh)
        if (const auto below = base::child_path(path, name); below != k_servers_own) add(below);
}

// Keeps the data that were read for a contender that is still listed, because a contender's name is never used again.
void survey_turns::update_locks(folder_record& record, std::vector<listed_lock> locks) {
    std::vector<queue> queues;
    for (auto& lock : locks) {
        queue fresh;
        fresh.kind = lock.kind;
        std::unordered_map<std::string_view, place*> known;
        for (auto& old : record.queues) {
            if (old.kind != lock.kind) continue;
            fresh.permits = old.permits;
            fresh.permits_read = old.permits_read;
            for (auto& entry : old.places)
                if (entry.known) known.emplace(entry.name, &entry);
        }
        for (auto& name : lock.names) {
            place entry{.name = std::move(name)};
            if (const auto found = known.find(entry.name); found != known.end()) {
                entry.known = std::move(found->second->known);
                entry.read = found->second->read;
            }
            fresh.places.push_back(std::move(entry));
        }
        queues.push_back(std::move(fresh));
    }
    record.queues = std::move(queues);
}

// ---- reads ----------------------------------------------------------------------------------

void survey_turns::choose_depth() {
    std::vector<std::size_t> lengths;
    for (const auto& [path, record] : folders_)
        for (const auto& each : record.queues) lengths.push_back(each.places.size());
    depth_ = depth_within(std::move(lengths), most_read_);
    for (auto& [path, record] : folders_)
        for (auto& each : record.queues)
            for (std::size_t i = depth_; i < each.places.size(); ++i) each.places[i].known.reset();
}

std::vector<survey_turns::turn> survey_turns::find_unread() {
    std::vector<turn> found;
    for (auto& [path, record] : folders_) {
        const bool looked_at = is_first(record);
        for (std::size_t q = 0; q != record.queues.size(); ++q) {
            const auto& entry = record.queues[q];
            if (entry.kind == lock_kind::semaphore && entry.permits_read == 0)
                found.push_back({&record, q, std::nullopt, 0});
            for (std::size_t i = 0; i != std::min(depth_, entry.places.size()); ++i) {
                if (entry.places[i].known) continue;
                const bool soon = looked_at && i < k_looked_at;
                found.push_back({&record, q, i, soon ? 0 : i + 1});
            }
        }
    }
    return found;
}

std::vector<survey_turns::turn> survey_turns::find_due_reads() {
    std::vector<turn> found;
    for (auto& [path, record] : folders_) {
        const bool looked_at = is_first(record);
        for (std::size_t q = 0; q != record.queues.size(); ++q) {
            const auto& entry = record.queues[q];
            if (entry.permits_read != 0 && entry.permits_read != round_)
                found.push_back({&record, q, std::nullopt, looked_at ? 0 : entry.permits_read});
            for (std::size_t i = 0; i != entry.places.size(); ++i) {
                const auto& at = entry.places[i];
                if (!at.known || at.read == round_) continue;
                found.push_back({&record, q, i, looked_at && i < k_looked_at ? 0 : at.read});
            }
        }
    }
    return found;
}

std::vector<survey_turns::turn> survey_turns::unread(std::size_t most) {
    auto found = find_unread();
    keep_most_urgent(found, most, [](const turn& each) {
        return std::pair{each.urgency, each.folder->found};
    });
    return found;
}

std::vector<survey_turns::turn> survey_turns::due_reads(std::size_t most) {
    auto found = find_due_reads();
    keep_most_urgent(found, most, [](const turn& each) {
        return std::pair{each.urgency, each.folder->found};
    });
    return found;
}

std::string survey_turns::path_of(const turn& entry) {
    const auto& record = *entry.folder;
    if (!entry.place) return record.path;
    return base::child_path(record.path, record.queues[entry.queue].places[*entry.place].name);
}

bool survey_turns::apply_read(const turn& entry, const core::reply& answer) const {
    auto& from = entry.folder->queues[entry.queue];
    if (!entry.place) {
        from.permits_read = round_;
        const auto limit = core::parse_limit(answer.data);
        from.permits = limit ? std::optional{limit->now} : std::nullopt;
        return true;
    }
    auto& at = from.places[*entry.place];
    at.gone = answer.error == server_error::no_node;
    at.read = round_;
    at.known = std::make_unique<contender>(describe_listed(from.kind, at.name, answer));
    return !at.gone;
}

void survey_turns::read(std::span<const turn> asked, std::span<const core::reply> answers) {
    std::set<folder_record*> shorter;
    for (std::size_t i = 0; i != asked.size(); ++i)
        if (!apply_read(asked[i], answers[i])) shorter.insert(asked[i].folder);
    for (auto* folder : shorter) {
        for (auto& each : folder->queues)
            std::erase_if(each.places, [](const place& at) { return at.gone; });
        std::erase_if(folder->queues, [](const queue& each) { return each.places.empty(); });
    }
}

// ---- the result --------------------------------------------------------------------------------

void survey_turns::add_survey(const folder_record& record, const queue& entry, lock_survey& to) {
    surveyed_lock lock{.path = record.path, .kind = entry.kind};
    lock.contenders = entry.places.size();
    lock.permits = entry.permits;
    std::vector<contender> known;
    const bool permits_known = entry.kind != lock_kind::semaphore || entry.permits_read != 0;
    for (const auto& at : entry.places) {
        if (!permits_known || !at.known) break;
        known.push_back(*at.known);
        known.back().position = known.size() - 1;
    }
    tell_apart(lock, std::move(known));
    to.locks.push_back(std::move(lock));
}

lock_survey survey_turns::survey() const {
    lock_survey all;
    for (const auto& [path, record] : folders_) {
        if (record.unreadable) all.unreadable.push_back(path);
        for (const auto& each : record.queues) add_survey(record, each, all);
    }
    return all;
}

core::duration survey_turns::oldest(core::time_point now) const {
    core::duration longest{};
    for (const auto& [path, record] : folders_)
        if (record.listed != 0) longest = std::max(longest, now - record.listed_at);
    return longest;
}

}  // namespace turnstile::detail
