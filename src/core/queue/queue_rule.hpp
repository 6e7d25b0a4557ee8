// SPDX-License-Identifier: Apache-2.0
// The queue rule: decides which contenders hold the lock, and which znode a waiter watches, from the names of the
// folder's children. A pure function.
//
// | contender       | what the contender waits for                | what the contender watches       |
// |-----------------|---------------------------------------------|----------------------------------|
// | lock, latch     | all contenders ahead                        | the nearest contender ahead      |
// | write           | all contenders ahead                        | the nearest contender ahead      |
// | read            | writers and upgrades ahead                  | the nearest of these             |
// | upgradable      | writers, upgrades and upgradables ahead     | the nearest of these             |
// | upgrade         | readers with a hold: all readers ahead of   | the nearest of these             |
// |                 | the first writer between the upgrade and its|                                  |
// |                 | upgradable contender; if there is none, all |                                  |
// |                 | readers ahead of the upgrade                |                                  |
// | permit          | enough free permits                         | the first waiter: all contenders |
// |                 |                                             | ahead; another waiter: the       |
// |                 |                                             | nearest contender ahead          |
//
// An upgrade (the contender by which an upgradable reader becomes a writer) overtakes the waiting writers, because
// these writers wait for its upgradable contender, which is ahead of them. The upgrade also overtakes the readers
// behind the first waiting writer. But a reader waits only for writers ahead of it: if that writer leaves, the readers
// behind it would be granted beside the upgrade. So when no contender is in the way any more, the upgrade moves to the
// position of its upgradable contender, ahead of all these readers, and lists the folder again.
//
// That list shows a reader in the way if the writer ahead of the reader has left meanwhile. The reader may hold
// the lock already, or may wait for the upgrade; the list does not show which is true. Then the upgrade moves back to
// its own position, so that all readers ahead of that position hold the lock, and waits for these readers. Each move
// back needs another writer that has left, and no new writer can come ahead of the upgrade. So the moves end.
//
// Numbers are compared with our own number by signed 32-bit distance, which keeps the order across a wrap at 2^31. A
// server whose counter stays at 2^31 - 1 (3.8.0) gives all later contenders this number, or for a while negative
// numbers. The rule treats all these numbers as one number (at_counter_end), and orders equal numbers by the znodes'
// czxids. If a czxid is missing, the rule returns `ask_czxid`.
//
//     queue_index     answers for many contenders of one long list. Its decide() repeats the rule for `lock` and
//                     `latch`, so change both functions together
//     prepared_list   a list of children, with an index that several contenders share
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/queue/contender_name.hpp"

namespace turnstile::core {

enum class verdict {
    granted,        // no contender is in the way
    wait_on,        // `predecessor` is the nearest contender in the way
    wait_on_any,    // permit: a permit may be free when one of `holders` ends or the limit grows
    ask_czxid,      // the czxids of `tied` are missing, so the order is unknown
    absent,         // self is not among the children: another client removed it
    change_places,  // upgrade: move to its other position, and list the folder again
    orphan,         // upgrade: its upgradable contender is gone
    too_many,       // permit: claims more permits than the semaphore has
};

struct decision {
    core::verdict verdict = core::verdict::absent;
    std::string predecessor;           // set for wait_on
    std::size_t ahead = 0;             // number of contenders for which self waits
    std::vector<std::string> tied;     // set for ask_czxid
    bool ties = false;                 // equal numbers were seen
    std::vector<std::string> holders;  // set for wait_on_any: all contenders that may hold permits
    // The family of the first foreign contender (a contender of another family) that came before self. Self and that
    // contender do not exclude each other.
    std::optional<contender_family> foreign;
    friend bool operator==(const decision&, const decision&) = default;
};

// The limit of a semaphore: its present number of permits, and an earlier number under which present contenders may
// have got permits. They keep these permits. So after the limit was lowered, contenders may hold more permits than
// `now`.
struct permit_limit {
    std::int32_t now = 1;
    std::int32_t earlier = 1;
    // The number of the last contender that may have got its permits under `earlier`. Nothing: not known yet, so each
    // contender within the first `earlier` permits may hold permits.
    std::optional<std::int32_t> last{};
    friend bool operator==(const permit_limit&, const permit_limit&) = default;
};

// `self`: the name of our znode, which is in `children`. `czxids`: the known czxids of znodes with equal numbers, also
// of our znode.
[[nodiscard]] decision decide(const std::vector<std::string>& children, const std::string& self,
                              const std::map<std::string, std::int64_t>& czxids = {},
                              const permit_limit& permits = {});

// queue_index: a sorted list of a folder's children, from which many contenders look up their positions.
//
// decide() reads every name for each contender. Contenders for locks and latches wait for all contenders ahead, so a
// search in one sorted list finds each predecessor. The index gives the same answer as decide(), or no answer if the
// numbers do not determine the order. A queue_index refers to the names in `children`.
class queue_index {
public:
    queue_index(const std::vector<std::string>& children, contender_family family);

    [[nodiscard]] std::optional<decision> decide(const std::string& self) const;

private:
    contender_family family_;
    std::int32_t first_ = 0;  // some number of the queue; distances are relative to it
    // Each entry has the distance of a contender's number from a common start, and the contender's name. The entries
    // are sorted. There is no entry if the numbers alone do not determine the order.
    std::vector<std::pair<std::int64_t, const std::string*>> line_;
    std::vector<contender_name> foreign_;  // contenders of other families
};

// A list of children that several contenders share. Makes an index for a family as soon as a contender of that family
// needs one. Refers to the names in `children`.
class prepared_list {
public:
    explicit prepared_list(const std::vector<std::string>& children) : children_{children} {}
    [[nodiscard]] const queue_index* of(contender_family family) {
        const auto found = indexes_.find(family);
        if (found != indexes_.end()) return &found->second;
        return &indexes_.emplace(family, queue_index{children_, family}).first->second;
    }

private:
    const std::vector<std::string>& children_;
    std::map<contender_family, queue_index> indexes_;
};

}  // namespace turnstile::core
