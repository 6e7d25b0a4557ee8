// SPDX-License-Identifier: Apache-2.0
// audit_log: the orders that were given over this page, and the sign-ins that failed.
//
// The newest 1,000 orders are in memory, and beside them the newest 1,000 failed sign-ins, so that failures push out no
// order. A file, if there is one, has all orders, one JSON object a line, each on the disk before its order is carried out
// and again with its outcome. Failures of one address follow each other as one entry; the file has a line for the first,
// the second, the fourth and so on. At the start the file's end is read back.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "admin/reading/snapshot.hpp"
#include "support/descriptor.hpp"

namespace turnstile::admin {

struct audit_entry {
    wall_time time{};
    std::string action;  // ask, take, cancel, sign_in_failed
    std::string path;
    std::string kind;
    std::string znode;
    std::string
        user{};  // as this server knows them: a name, or "password" or "token" for a shared secret
    std::string by;  // as told to the holder: the name, or what the caller of a shared secret says
    std::string why;
    std::string from;  // the address of the browser
    std::string
        outcome;  // begun, asked, gave_way, deleted, gone_before, cancelled, failed, refused
    std::string message;
    std::uint64_t times = 1;  // of a sign-in that failed: how often, the last time at `time`
};

enum class audit_list { orders, sign_ins };

// Entries that have all of this. An empty text is any.
struct audit_filter {
    audit_list list = audit_list::orders;
    std::string action{};
    std::string outcome{};
    std::string author{};                // a part of user, by or from, whatever its case
    std::string path{};                  // of the path if it begins with "/", else a part of it
    wall_time since{};                   // no earlier than this
    wall_time until = wall_time::max();  // and before this

    [[nodiscard]] bool include(const audit_entry& entry) const;
};

// "2026-11-21T04:38:36" or "2026-11-21", in UTC. Nothing for another text, or a time that no clock of ours has.
[[nodiscard]] std::optional<wall_time> parse_time(const std::string& text);

// As the file and the interface have it, without the end of the line.
[[nodiscard]] std::string audit_line(const audit_entry& entry);

class audit_log {
public:
    // Without a file if its name is empty. Throws std::runtime_error if it cannot be appended to.
    explicit audit_log(const std::string& file);

    // Appends an order: its number. Throws std::runtime_error if the file does not take it: then nothing must be done.
    std::uint64_t add(audit_entry entry);
    // The outcome of an order.
    void conclude(std::uint64_t number, const std::string& outcome, const std::string& message);
    // A sign-in of `user` (empty: no known name) from an address failed.
    void add_failure(const std::string& user, const std::string& from);

    struct page {
        std::size_t total = 0;
        std::vector<audit_entry> entries;  // the newest first
    };
    [[nodiscard]] page read(const audit_filter& filter, std::size_t offset,
                            std::size_t limit) const;

private:
    struct kept {
        std::uint64_t number = 0;
        audit_entry entry;
    };
    enum class durability { on_disk, in_cache };
    using ring = std::deque<kept>;

    void read_back(const std::string& file);
    void read_back_entry(audit_entry entry);
    void keep(ring& where, audit_entry entry);
    void write(const audit_entry& entry, durability wanted);

    support::descriptor file_;
    bool torn_ = false;  // its last line was written in part
    mutable std::mutex mutex_;
    ring orders_;
    ring failures_;
    std::uint64_t numbers_ = 0;
};

}  // namespace turnstile::admin
