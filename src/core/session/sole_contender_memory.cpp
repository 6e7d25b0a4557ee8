// SPDX-License-Identifier: Apache-2.0
#include "core/session/sole_contender_memory.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

// ---- reports of contenders -------------------------------------------------------------------

bool sole_contender_memory::entered(const std::string& folder, contender_family of,
                                    std::int32_t number) {
    const auto found = all_.find(folder);
    if (found == all_.end()) return false;
    auto& known = found->second;
    const bool is_next = known.latest == place::left && known.of == of && number == known.next;
    if (!is_next && known.latest != place::unknown) {
        drop(found);
        return false;
    }
    use(found);
    known.number = number;
    known.next = std::int64_t{number} + 1;  // place: next_number_without_a_probe
    known.latest = place::entered;          // place: sole_contender_enters
    return is_next && !known.watched && known.watching == ticket{};
}

void sole_contender_memory::probed(const std::string& folder, std::int32_t number) {
    const auto [entry, is_new] = all_.try_emplace(folder);
    auto& known = entry->second;
    if (is_new) {
        known.number = number;
        known.latest = place::entered;
        use(entry);
        make_room();
    }
    if (known.number == number) known.next = std::int64_t{number} + 2;
}

void sole_contender_memory::leaves(const std::string& folder, contender_family of,
                                   std::int32_t number) {
    const auto [entry, is_new] = all_.try_emplace(folder);
    auto& known = entry->second;
    const bool has_entered = known.latest == place::entered && known.number == number;
    if (!has_entered) known.next = std::int64_t{number} + 1;
    known.of = of;
    known.number = number;
    known.latest = place::leaving;
    use(entry);
    if (is_new) make_room();
}

void sole_contender_memory::left(const std::string& folder, contender_family of,
                                 std::int32_t number) {
    const auto found = all_.find(folder);
    if (found == all_.end()) return;
    auto& known = found->second;
    const bool is_latest =
        known.latest == place::leaving && known.of == of && known.number == number;
    if (is_latest) known.latest = place::left;
}

// ---- the watch on the folder ----------------------------------------------------------------

void sole_contender_memory::watch_sent(const std::string& folder, ticket request) {
    const auto found = all_.find(folder);
    TURNSTILE_CHECK(found != all_.end());
    TURNSTILE_CHECK(!found->second.watched);
    found->second.watching = request;
}

void sole_contender_memory::watch_answered(const std::string& folder, ticket request, bool is_set) {
    const auto found = all_.find(folder);
    if (found == all_.end() || found->second.watching != request) return;
    if (!is_set) return drop(found);  // place: folder_is_watched
    found->second.watching = ticket{};
    found->second.watched = true;
}

void sole_contender_memory::forget(const std::string& folder) {
    const auto found = all_.find(folder);
    if (found == all_.end()) return;
    found->second.watched = false;  // the event has used up the watch
    drop(found);
}

void sole_contender_memory::give_up(const std::string& folder) {
    const auto found = all_.find(folder);
    if (found != all_.end()) drop(found);
}

// Keeps the watches: the C client sets them again before any other request of the next connection.
void sole_contender_memory::detached() {
    // place: numbers_end_with_connection
    for (auto& [folder, known] : all_) known.latest = place::unknown;
}

std::size_t sole_contender_memory::watched() const {
    return static_cast<std::size_t>(std::count_if(
        all_.begin(), all_.end(), [](const auto& entry) { return entry.second.watched; }));
}

std::vector<std::string> sole_contender_memory::take_forgotten() {
    return std::exchange(forgotten_, {});
}

// ---- decisions about the next create ---------------------------------------------------------

bool sole_contender_memory::omits_list(const std::string& folder, contender_family of) const {
    const auto* const known = find(folder, of);
    if (known == nullptr || !known->watched) return false;  // place: list_is_omitted
    return known->latest == place::leaving || known->latest == place::left;
}

std::optional<std::int64_t> sole_contender_memory::sole_number(const std::string& folder,
                                                               contender_family of) const {
    const auto* const known = find(folder, of);
    if (known == nullptr) return std::nullopt;
    const bool shows = known->watched && known->latest == place::left;  // place: sole_number_shows
    return shows ? std::optional{known->next} : std::nullopt;
}

// ---- the set of remembered folders ----------------------------------------------------------

const sole_contender_memory::sole_folder* sole_contender_memory::find(const std::string& folder,
                                                                      contender_family of) const {
    const auto found = all_.find(folder);
    if (found == all_.end()) return nullptr;
    return found->second.of == of ? &found->second : nullptr;
}

void sole_contender_memory::use(folders::iterator which) {
    auto& used = which->second.used;
    auto node = by_use_.extract(used);
    used = ++uses_;
    if (node.empty()) {
        by_use_.emplace(used, which->first);
        return;
    }
    node.key() = used;
    by_use_.insert(std::move(node));
}

void sole_contender_memory::drop(folders::iterator which) {
    const auto& known = which->second;
    by_use_.erase(known.used);
    if (known.watched || known.watching != ticket{}) forgotten_.push_back(which->first);
    all_.erase(which);
}

void sole_contender_memory::make_room() {
    while (all_.size() > most_) drop(all_.find(by_use_.begin()->second));
}

// Two memories are equal if they will give the same answers. A full memory forgets the least recently used folder.
// Therefore the comparison includes the order in which the folders were used, but not how often.
bool operator==(const sole_contender_memory& a, const sole_contender_memory& b) {
    const auto alike = [&](const auto& left, const auto& right) {
        if (left.second != right.second) return false;
        const auto& x = a.all_.at(left.second);
        const auto& y = b.all_.at(right.second);
        return std::tie(x.of, x.number, x.next, x.latest, x.watching, x.watched) ==
               std::tie(y.of, y.number, y.next, y.latest, y.watching, y.watched);
    };
    return a.most_ == b.most_ && a.forgotten_ == b.forgotten_ &&
           std::equal(a.by_use_.begin(), a.by_use_.end(), b.by_use_.begin(), b.by_use_.end(),
                      alike);
}

}  // namespace turnstile::core
