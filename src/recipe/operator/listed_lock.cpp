// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/listed_lock.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "recipe/lock/lock_queries.hpp"

namespace turnstile::detail {

namespace {

constexpr std::string_view k_lock = "__lock__";
constexpr std::string_view k_read = "__rlock__";
constexpr std::size_t k_digits = 10;

// The numbers of contenders that are ahead of a certain contender in its queue, by kind.
struct ahead {
    std::size_t contenders = 0;
    std::size_t writers = 0;  // including upgrades and mutexes
    std::size_t upgradables = 0;
    std::int64_t permits = 0;
};

void pass(ahead& seen, const contender& waiter) {
    ++seen.contenders;
    seen.permits += waiter.permits;
    if (waiter.kind == contender_kind::upgradable) ++seen.upgradables;
    if (waiter.kind == contender_kind::writer || waiter.kind == contender_kind::upgrade ||
        waiter.kind == contender_kind::mutex)
        ++seen.writers;
}

bool upgrade_holds(const std::vector<contender>& queue, const std::string& name) {
    std::vector<std::string> names;
    std::map<std::string, std::int64_t> czxids;
    for (const auto& waiter : queue) {
        names.push_back(waiter.name);
        czxids.emplace(waiter.name, static_cast<std::int64_t>(waiter.token.zxid()));
    }
    return core::decide(names, name, czxids).verdict == core::verdict::granted;
}

bool holds(const surveyed_lock& lock, const std::vector<contender>& queue, const ahead& seen,
           const contender& waiter) {
    switch (waiter.kind) {
        case contender_kind::reader: return seen.writers == 0;
        case contender_kind::upgradable: return seen.writers == 0 && seen.upgradables == 0;
        case contender_kind::upgrade: return upgrade_holds(queue, waiter.name);
        case contender_kind::permit:
            return !lock.permits || seen.permits + waiter.permits <= *lock.permits;
        default: return seen.contenders == 0;
    }
}

std::int32_t sequence_of(const std::string& name) {
    if (const auto theirs = parse_kazoo(name)) return theirs->sequence;
    return core::contender_sequence(name).value_or(0);
}

void sort_by_arrival(listed_lock& lock) {
    if (lock.kind != lock_kind::kazoo) {
        const auto family = core::family(core::parse_contender(lock.names.front())->wants.kind);
        lock.names = contenders_among(std::move(lock.names), family);
        return;
    }
    const auto pivot = sequence_of(lock.names.front());
    std::sort(lock.names.begin(), lock.names.end(), [pivot](const auto& a, const auto& b) {
        return core::sequence_distance(sequence_of(a), pivot) <
               core::sequence_distance(sequence_of(b), pivot);
    });
}

}  // namespace

std::optional<kazoo_name> parse_kazoo(std::string_view child) noexcept {
    const bool reads = child.find(k_read) != std::string_view::npos;
    const auto marker = reads ? k_read : k_lock;
    const auto place = child.find(marker);
    if (place == std::string_view::npos) return std::nullopt;
    auto number = child.substr(place + marker.size());
    const std::size_t sign = number.starts_with('-') ? 1 : 0;
    if (number.size() != k_digits + sign && number.size() != k_digits) return std::nullopt;
    std::int32_t sequence = 0;
    const char* const end = number.data() + number.size();
    const auto [rest, failure] = std::from_chars(number.data(), end, sequence);
    if (failure != std::errc{} || rest != end) return std::nullopt;
    return kazoo_name{reads, sequence};
}

std::optional<lock_kind> lock_of(const std::string& child) {
    if (const auto name = core::parse_contender(child)) {
        switch (core::family(name->wants.kind)) {
            case core::contender_family::lock: return lock_kind::mutex;
            case core::contender_family::latch: return lock_kind::latch;
            case core::contender_family::read_write: return lock_kind::shared_mutex;
            case core::contender_family::semaphore: return lock_kind::semaphore;
        }
    }
    if (parse_kazoo(child)) return lock_kind::kazoo;
    return std::nullopt;
}

void tell_apart(surveyed_lock& lock, std::vector<contender> queue) {
    ahead seen;
    std::vector<bool> held;
    for (const auto& waiter : queue) {
        held.push_back(holds(lock, queue, seen, waiter));
        pass(seen, waiter);
    }
    for (std::size_t i = 0; i != queue.size(); ++i)
        (held[i] ? lock.holders : lock.waiters).push_back(std::move(queue[i]));
}

listed_folder sort_children(std::vector<std::string> children) {
    listed_folder found;
    std::map<lock_kind, listed_lock> locks;
    for (auto& child : children) {
        const auto kind = lock_of(child);
        if (!kind) {
            found.folders.push_back(std::move(child));
            continue;
        }
        auto& lock = locks[*kind];
        lock.kind = *kind;
        lock.names.push_back(std::move(child));
    }
    for (auto& [kind, lock] : locks) {
        sort_by_arrival(lock);
        found.locks.push_back(std::move(lock));
    }
    return found;
}

contender describe_listed(lock_kind kind, const std::string& name, const core::reply& answer) {
    auto entry = describe_one(name, answer);
    if (kind == lock_kind::kazoo) {
        entry.sequence = sequence_of(entry.name);
        entry.kind =
            parse_kazoo(entry.name)->reads ? contender_kind::reader : contender_kind::mutex;
    }
    return entry;
}

error too_many_folders(const std::string& folder) {
    return {errc::too_many, fmt::format("{}: more than {} folders below this one, and a survey "
                                        "examines no more; name a folder further down",
                                        folder, k_most_folders)};
}

}  // namespace turnstile::detail
