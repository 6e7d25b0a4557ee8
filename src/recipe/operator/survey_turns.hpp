// SPDX-License-Identifier: Apache-2.0
// survey_turns: the data of a rolling survey, and the order of the survey's next requests.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/seam/seam.hpp"
#include "recipe/operator/listed_lock.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Returns how many contenders of each queue, from the front, are to be read, so that at most `most` contenders are read
// in all. Returns at least 1: the first contender of each queue is read in any case.
[[nodiscard]] std::size_t depth_within(std::vector<std::size_t> lengths, std::size_t most);

class survey_turns {
    struct folder_record;

public:
    survey_turns(std::string folder, std::size_t most_read);

    void begin_round(const std::vector<std::string>& first);

    // Returns folders that were never listed, in the order in which they were found.
    [[nodiscard]] std::vector<std::string> unlisted(std::size_t most) const;
    [[nodiscard]] std::size_t unlisted_count() const;
    // Returns folders that were listed before, but not in this round; the most urgent first.
    [[nodiscard]] std::vector<std::string> due_folders(std::size_t most) const;
    // Stores the servers' answer to a list of the folder. Errors: too_many, protocol.
    [[nodiscard]] result<void> list(const std::string& folder, core::reply answer,
                                    core::time_point now);

    // A znode whose data must be read: a contender, or a semaphore's folder. Valid until the next list().
    struct turn {
        folder_record* folder = nullptr;
        std::size_t queue = 0;
        std::optional<std::size_t> place{};  // nothing: the folder itself
        std::uint64_t urgency = 0;           // a smaller number is read sooner
    };
    // Decides from the present lists how many contenders at the front of each queue are read. Forgets the data of all
    // other contenders. Must be called before unread() and due_reads(), and before the functions that count their
    // results.
    void choose_depth();
    // Returns contenders that were never read; the first contender of each queue comes first.
    [[nodiscard]] std::vector<turn> unread(std::size_t most);
    // Returns znodes that were read in an earlier round, and not yet in this round: their data may have changed since
    // then. The znode whose latest read is oldest comes first.
    [[nodiscard]] std::vector<turn> due_reads(std::size_t most);
    [[nodiscard]] std::size_t unread_count() { return find_unread().size(); }
    [[nodiscard]] std::size_t due_reads_count() { return find_due_reads().size(); }
    [[nodiscard]] static std::string path_of(const turn& entry);
    void read(std::span<const turn> asked, std::span<const core::reply> answers);

    [[nodiscard]] lock_survey survey() const;
    // Returns the longest time since a folder was listed. Ignores folders that were never listed.
    [[nodiscard]] core::duration oldest(core::time_point now) const;

private:
    struct place {
        std::string name;
        std::unique_ptr<contender> known{};
        std::uint64_t read = 0;  // the round of the latest read
        bool gone = false;
    };
    struct queue {
        lock_kind kind = lock_kind::mutex;
        std::vector<place> places;
        std::optional<std::int32_t> permits{};
        std::uint64_t permits_read = 0;
    };
    struct folder_record {
        std::string path;
        std::uint64_t found = 0;    // this folder's place in the order of finding
        std::uint64_t listed = 0;   // the round of the latest list; 0: never
        std::uint64_t changed = 0;  // the round in which a list last differed from the list before
        core::time_point listed_at{};
        std::int64_t pzxid = 0;
        bool unreadable = false;
        std::vector<std::string> folders;  // names of further folders, sorted
        std::vector<queue> queues;
    };

    void begin_anew();
    void add(const std::string& path);
    void forget(const std::string& path);
    void update_folders(folder_record& record, std::vector<std::string> names);
    static void update_locks(folder_record& record, std::vector<listed_lock> locks);
    [[nodiscard]] bool is_first(const folder_record& record) const {
        return first_.contains(record.path);
    }
    [[nodiscard]] std::uint64_t urgency_of(const folder_record& record) const;
    [[nodiscard]] std::vector<turn> find_unread();
    [[nodiscard]] std::vector<turn> find_due_reads();
    // Stores the answer to a read. Returns false if the znode is gone.
    bool apply_read(const turn& entry, const core::reply& answer) const;
    static void add_survey(const folder_record& record, const queue& entry, lock_survey& to);

    const std::string root_;
    const std::size_t most_read_;
    std::size_t depth_ = 0;
    std::uint64_t round_ = 0;
    std::uint64_t found_ = 0;
    std::unordered_set<std::string> first_;
    std::map<std::string, folder_record> folders_;
};

}  // namespace turnstile::detail
