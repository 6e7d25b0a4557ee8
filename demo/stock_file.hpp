// SPDX-License-Identifier: Apache-2.0
// stock_file: the shared resource, two plain files that every worker reads and writes.
//
//     stock_file stock{folder / "stock"};
//     const auto before = stock.read();
//     if (!stock.write_fenced(before.left - 1, hold.fencing_token())) refused();
//
// The stock is one record of fixed size, read and written by one system call each, so that a reader
// never sees half of one. Between a read and a write anything may happen: that is what the lock is
// for.
//
// Thread safety: one object is used by one thread; processes use objects of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "turnstile/fencing_token.hpp"

namespace demo {

// A file descriptor that closes itself.
class open_file {
public:
    // Throws std::system_error, which names the path.
    open_file(const std::filesystem::path& path, int flags);
    ~open_file();
    open_file(open_file&& other) noexcept;
    open_file& operator=(open_file&&) = delete;

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

struct stock_record {
    int left = 0;
    turnstile::fencing_token highest;  // the largest token of any accepted write
};

class stock_file {
public:
    static void create(const std::filesystem::path& path, int items);
    explicit stock_file(const std::filesystem::path& path);

    [[nodiscard]] stock_record read() const;
    void write(const stock_record& record);
    // The fencing rule: a write whose token is smaller than the largest seen is refused; then the
    // largest is returned. A plain file cannot compare and write in one step as a database does with
    // a conditional update: a worker stopped within the few microseconds between the two could
    // still write. The rule narrows what a paused holder can harm from seconds to that.
    [[nodiscard]] std::optional<turnstile::fencing_token> write_fenced(
        int left, turnstile::fencing_token token);

private:
    open_file file_;
};

struct sale {
    int item = 0;
    int worker = 0;
    turnstile::fencing_token token;  // zero without a lock
};

// The sales in the order in which they were appended (O_APPEND: the kernel keeps lines whole).
class sales_file {
public:
    explicit sales_file(const std::filesystem::path& path);  // created if it is not there
    void append(const sale& s);
    // Throws std::runtime_error for a line of another form.
    [[nodiscard]] static std::vector<sale> read_all(const std::filesystem::path& path);

private:
    open_file file_;
};

}  // namespace demo
