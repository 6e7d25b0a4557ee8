// SPDX-License-Identifier: Apache-2.0
// audit_log: records the orders that users give on the admin page, and failed sign-ins.
//
// The memory contains the newest 1,000 orders, and separately the newest 1,000 failed sign-ins, so that failures
// displace no order. An optional file contains all orders, one JSON object a line. The log writes each order to the
// disk before its execution, and again with its outcome. Failures with one user name from one address form one entry,
// and the file gets a line for the 1st, the 2nd, the 4th, the 8th failure and so on. At its start, the log reads the
// end of the file. If the file was renamed or removed (logrotate), the log opens a new file with the same name.
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
        user{};      // known to this server: a name, or "password" or "token" for a shared secret
    std::string by;  // the author in the holder's znode; with a shared secret, the caller's text
    std::string why;
    std::string from;  // the address of the browser
    std::string
        outcome;  // begun, asked, gave_way, deleted, gone_before, cancelled, failed, refused
    std::string message;
    std::uint64_t times = 1;  // number of failures; the latest was at `time`
};

enum class audit_list { orders, sign_ins };

// Selects the entries that match every member. An empty text matches every entry.
struct audit_filter {
    audit_list list = audit_list::orders;
    std::string action{};
    std::string outcome{};
    std::string author{};  // a part of the fields user, by or from, ignoring case
    std::string path{};    // the start of the path; a text without "/": any part of it
    wall_time since{};     // excludes earlier entries
    wall_time until = wall_time::max();  // excludes entries from this time on

    [[nodiscard]] bool include(const audit_entry& entry) const;
};

// Parses a time such as "2026-11-21T04:38:36" or "2026-11-21", in UTC. Returns nothing for another text, or for a time
// that the clock cannot represent.
[[nodiscard]] std::optional<wall_time> parse_time(const std::string& text);

// Returns the JSON text of an entry, in the form of the log file and of the HTTP interface, without a newline.
[[nodiscard]] std::string audit_line(const audit_entry& entry);

class audit_log {
public:
    // An empty name means no file. Throws std::runtime_error if the file cannot be opened for appending.
    explicit audit_log(const std::string& file);

    // Appends an order and returns its number. Throws std::runtime_error if the file cannot be written; the caller must
    // then not execute the order.
    std::uint64_t add(audit_entry entry);
    void conclude(std::uint64_t number, const std::string& outcome, const std::string& message);
    // Records a failed sign-in. `from`: the address. `user`: empty for an unknown name.
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
    void open_again_if_moved();
    void write(const audit_entry& entry, durability wanted);

    const std::string name_;
    support::descriptor file_;
    bool torn_ = false;  // the file's last line is incomplete
    mutable std::mutex mutex_;
    ring orders_;
    ring failures_;
    std::uint64_t numbers_ = 0;
};

}  // namespace turnstile::admin
