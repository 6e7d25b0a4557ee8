// SPDX-License-Identifier: Apache-2.0
// sole_contender_memory: remembers folders in which the session's latest contender had no contender ahead, and the
// number of that contender. A number is the folder's count of creates. If the contender with the number s has left the
// queue, and the session's next create gets s + 1, no client has created a znode in between. So no contender is ahead,
// and no list is needed (docs/why/mutex.md, "Without a list"). If the transaction that created the contender also
// created a probe znode in the folder (batches.hpp), the next number is s + 2.
//
// | state of a folder | event that leads to the state                                     | effect on creates     |
// |-------------------|-------------------------------------------------------------------|-----------------------|
// | number            | a contender that had no other contender ahead leaves              | none                  |
// | left              | the servers have confirmed, on this connection, the removal of    | none                  |
// |                   | that contender's znode                                            |                       |
// | repeated          | the next create got the next number: the folder is worth a watch  | none                  |
// | watched           | the servers have set the watch on the folder                      | no list follows       |
//
// An event of the folder, or a create that gets another number, ends this knowledge. The end of a connection ends only
// the knowledge of numbers, since the C client sets the watch again by itself.
//
// The memory has at most k_most_sole_folders folders. It forgets the least recently used folder first.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/queue/contender_name.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// 1,024 folders with paths of 100 bytes take 0.4 MiB of memory. They also take 0.1 MiB of the packet with which the
// C client sets watches again after a reconnect.
inline constexpr std::size_t k_most_sole_folders = 1024;

class sole_contender_memory {
public:
    explicit sole_contender_memory(std::size_t most = k_most_sole_folders) : most_{most} {}

    // ---- reports of contenders ----
    // Called when a create was answered with this number. Returns true if the session should set a watch on the folder.
    [[nodiscard]] bool entered(const std::string& folder, contender_family of, std::int32_t number);
    // Called after entered(), if the transaction that created this contender's znode also created a temporary znode
    // (probe) in the folder, right after the contender's znode.
    void probed(const std::string& folder, std::int32_t number);
    // Called when a contender that had no contender ahead sends the removal of its znode.
    void leaves(const std::string& folder, contender_family of, std::int32_t number);
    // Called when the servers have removed the znode of the contender with the number `number`, for which leaves() was
    // called before.
    void left(const std::string& folder, contender_family of, std::int32_t number);

    // ---- the watch on the folder ----
    void watch_sent(const std::string& folder, ticket request);
    void watch_answered(const std::string& folder, ticket request, bool is_set);
    // Called when the folder was deleted or changed, which has used up the watch.
    void forget(const std::string& folder);
    // Forgets the folder. take_forgotten() then returns the folder, so that the session drops the watch on it.
    void give_up(const std::string& folder);
    void detached();
    [[nodiscard]] std::size_t watched() const;
    // Returns the folders that were forgotten, and whose watches the session must drop.
    [[nodiscard]] std::vector<std::string> take_forgotten();

    // ---- decisions about the next create ----
    // True if the next create will probably show that no contender is ahead, so that the contender need not list the
    // folder.
    [[nodiscard]] bool omits_list(const std::string& folder, contender_family of) const;
    // Returns the number with which the next create shows that no contender is ahead; nothing if no number shows that.
    [[nodiscard]] std::optional<std::int64_t> sole_number(const std::string& folder,
                                                          contender_family of) const;

    friend bool operator==(const sole_contender_memory& a, const sole_contender_memory& b);

private:
    enum class place { unknown, entered, leaving, left };
    struct sole_folder {
        contender_family of{};
        std::int32_t number = 0;
        // The number that the next new child gets. No child gets a number beyond the end of the counter.
        std::int64_t next = 0;
        place latest = place::unknown;  // the state of the contender with that number
        ticket watching{};              // the request that sets the watch, while it is in progress
        bool watched = false;
        std::uint64_t used = 0;
    };
    using folders = std::map<std::string, sole_folder>;

    [[nodiscard]] const sole_folder* find(const std::string& folder, contender_family of) const;
    void use(folders::iterator which);
    void drop(folders::iterator which);
    void make_room();

    std::size_t most_;
    folders all_;
    std::map<std::uint64_t, std::string> by_use_;  // the least recently used first
    std::uint64_t uses_ = 0;
    std::vector<std::string> forgotten_;
};

}  // namespace turnstile::core
