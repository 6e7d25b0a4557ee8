// SPDX-License-Identifier: Apache-2.0
// audit_log: what was asked for and taken over this page, and who signed in in vain.
//
// The newest 1,000 entries are in memory; a file, if there is one, has them all, one JSON object a line, each on the disk
// before its order is carried out and again with what came of it. At the start the file's end is read back.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "admin/reading/snapshot.hpp"
#include "base/descriptor.hpp"

namespace turnstile::admin {

struct audit_entry {
    wall_time time{};
    std::string action;  // ask, take, sign_in_failed
    std::string path;
    std::string kind;
    std::string znode;
    std::string by;
    std::string why;
    std::string from;     // the address of the browser
    std::string outcome;  // begun, asked, gave_way, deleted, gone_before, failed, refused
    std::string message;
};

// As the file and the interface have it, without the end of the line.
[[nodiscard]] std::string audit_line(const audit_entry& entry);

class audit_log {
public:
    // Without a file if its name is empty. Throws std::runtime_error if it cannot be appended to.
    explicit audit_log(const std::string& file);

    // Appends a new entry: its number. Throws std::runtime_error if the file does not take it: then nothing must be done.
    std::uint64_t add(audit_entry entry);
    // What came of it.
    void conclude(std::uint64_t number, const std::string& outcome, const std::string& message);

    struct page {
        std::size_t total = 0;
        std::vector<audit_entry> entries;  // the newest first
    };
    [[nodiscard]] page read(std::size_t offset, std::size_t limit) const;

private:
    struct kept {
        std::uint64_t number = 0;
        audit_entry entry;
    };
    void read_back(const std::string& file);
    void keep(audit_entry entry);
    void write(const audit_entry& entry);

    base::descriptor file_;
    bool torn_ = false;  // its last line was written in part
    mutable std::mutex mutex_;
    std::deque<kept> entries_;
    std::uint64_t numbers_ = 0;
};

}  // namespace turnstile::admin
