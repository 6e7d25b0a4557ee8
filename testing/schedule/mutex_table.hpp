// SPDX-License-Identifier: Apache-2.0
// mutex_table: records each mutex's owner, and the mutexes that several processes use. Copies are independent.
//
// A new mutex may have the address of a destroyed mutex. Then the table may wrongly count the new mutex as used by
// several processes. The only effect: a thread of a stopped process continues until it releases that mutex.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace turnstile::schedule {

class mutex_table {
public:
    void ask(std::uintptr_t mutex, std::uint16_t process) {
        const auto [found, first] = askers_.try_emplace(mutex, process);
        if (!first && found->second != process) found->second = k_several;
    }
    void take(std::uintptr_t mutex, std::uint8_t thread) { owners_[mutex] = thread; }
    [[nodiscard]] bool try_to_take(std::uintptr_t mutex, std::uint8_t thread) {
        return owners_.try_emplace(mutex, thread).second;
    }
    void let_go(std::uintptr_t mutex) { owners_.erase(mutex); }

    [[nodiscard]] std::optional<std::uint8_t> owner_of(std::uintptr_t mutex) const {
        const auto found = owners_.find(mutex);
        if (found == owners_.end()) return std::nullopt;
        return found->second;
    }
    [[nodiscard]] bool is_free(std::uintptr_t mutex) const { return !owners_.contains(mutex); }
    // Returns true if the thread owns a mutex that several processes use.
    [[nodiscard]] bool holds_up_others(std::size_t thread) const {
        return std::any_of(owners_.begin(), owners_.end(), [&](const auto& taken) {
            if (taken.second != thread) return false;
            const auto asked = askers_.find(taken.first);
            return asked != askers_.end() && asked->second == k_several;
        });
    }

private:
    static constexpr int k_several = -1;

    std::map<std::uintptr_t, std::uint8_t> owners_;  // owners of locked mutexes
    // Maps each mutex to the number of the process that uses it, or to k_several.
    std::map<std::uintptr_t, int> askers_;
};

}  // namespace turnstile::schedule
