// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/survey_rule.hpp"

#include <map>
#include <utility>

#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "recipe/operator/kazoo_name.hpp"

namespace turnstile::detail {
namespace {

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

}  // namespace

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

}  // namespace turnstile::detail
