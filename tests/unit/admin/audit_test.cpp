// SPDX-License-Identifier: Apache-2.0
// Tests the audit file, which records failed sign-ins and operators' orders: the commands ask, take and cancel.
#include "admin/access/audit_log.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include "admin/api/audit_pages.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::admin {
namespace {

class admin_audit : public ::testing::Test {
protected:
    const testing::temporary_folder folder;
    const audit_filter orders{};
    const audit_filter sign_ins{.list = audit_list::sign_ins};
};

audit_entry entry(const std::string& by, const std::string& outcome = "begun") {
    return {.time = std::chrono::system_clock::now(),
            .action = "take",
            .path = "/locks/a",
            .kind = "mutex",
            .znode = "z",
            .user = "password",
            .by = by,
            .why = "\"\n\xff",
            .from = "127.0.0.1",
            .outcome = outcome};
}

TEST_F(admin_audit, is_read_back) {
    const auto name = (folder.path() / "audit").string();
    {
        audit_log log{name};
        const auto first = log.add(entry("ann"));
        log.conclude(first, "deleted", "");
        log.add(entry("bob"));
    }
    std::ofstream{name, std::ios::app} << "{\"time\": \"2026-11-2";  // a crash cut this line short
    const audit_log log{name};
    const auto page = log.read(orders, 0, 10);
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(page.entries[0].by, "bob");
    EXPECT_EQ(page.entries[0].outcome, "begun");
    EXPECT_EQ(page.entries[1].by, "ann");
    EXPECT_EQ(page.entries[1].outcome, "deleted");
    EXPECT_EQ(page.entries[1].why, "\"\n\xEF\xBF\xBD");
    EXPECT_EQ(log.read(orders, 1, 1).entries.front().by, "ann");
}

TEST_F(admin_audit, a_line_that_had_no_room_takes_no_other_along) {
    const auto name = (folder.path() / "audit").string();
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto disposition = ::signal(SIGXFSZ, SIG_IGN);
    {
        audit_log log{name};
        log.add(entry("ann"));
        const rlimit full{std::filesystem::file_size(name) + 10, before.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
        EXPECT_THROW(log.add(entry("bob")), std::runtime_error);
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
        log.add(entry("cid"));
    }
    ::signal(SIGXFSZ, disposition);
    const audit_log log{name};
    const auto page = log.read(orders, 0, 10);
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(page.entries[0].by, "cid");
}

TEST_F(admin_audit, a_line_that_was_cut_short_by_a_crash_takes_no_later_one_along) {
    const auto name = (folder.path() / "audit").string();
    std::ofstream{name} << "{\"time\": \"2026-11-2";
    audit_log{name}.add(entry("ann"));
    const audit_log log{name};
    ASSERT_EQ(log.read(orders, 0, 10).total, 1U);
    EXPECT_EQ(log.read(orders, 0, 10).entries.front().by, "ann");
}

TEST_F(admin_audit, keeps_the_newest) {
    audit_log log{""};
    for (int i = 0; i != 1'100; ++i) log.add(entry(std::to_string(i)));
    EXPECT_EQ(log.read(orders, 0, 1).total, 1'000U);
    EXPECT_EQ(log.read(orders, 0, 1).entries.front().by, "1099");
    EXPECT_EQ(log.read(orders, 999, 5).entries.back().by, "100");
}

TEST_F(admin_audit, a_file_that_is_rotated_away_is_replaced) {
    const auto name = folder.path() / "audit";
    audit_log log{name};
    const auto first = log.add(entry("ann"));
    std::filesystem::rename(name, folder.path() / "audit.1");
    log.conclude(first, "deleted", "");
    std::filesystem::remove(name);
    log.add(entry("bob"));
    const audit_log again{name};
    ASSERT_EQ(again.read(orders, 0, 10).total, 1U);
    EXPECT_EQ(again.read(orders, 0, 10).entries.front().by, "bob");
    std::filesystem::remove_all(folder.path());
    EXPECT_THROW(log.add(entry("cid")), std::runtime_error) << "the folder is gone";
}

TEST(admin_audit_file, a_full_disk_is_told) {
    audit_log log{"/dev/full"};
    EXPECT_THROW(log.add(entry("ann")), std::runtime_error);
    EXPECT_THROW(audit_log{"/nowhere/at/all"}, std::runtime_error);
}

// The log keeps operators' orders (ask, take, cancel) apart from failed sign-ins. Otherwise many failures would
// displace an order.
TEST_F(admin_audit, failures_push_out_no_order) {
    const auto name = (folder.path() / "audit").string();
    {
        audit_log log{name};
        log.conclude(log.add(entry("ann")), "deleted", "");
        for (int i = 0; i != 3'000; ++i)
            log.add_failure("", "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250));
        ASSERT_EQ(log.read(orders, 0, 10).total, 1U);
        EXPECT_EQ(log.read(orders, 0, 10).entries.front().by, "ann");
        EXPECT_EQ(log.read(sign_ins, 0, 1).total, 1'000U);
    }
    const audit_log again{name};
    ASSERT_EQ(again.read(orders, 0, 10).total, 1U) << "nor in the file";
    EXPECT_EQ(again.read(orders, 0, 10).entries.front().outcome, "deleted");
    EXPECT_EQ(again.read(sign_ins, 0, 1).total, 1'000U);
}

TEST_F(admin_audit, failures_of_an_address_are_one_entry_and_few_lines) {
    const auto name = (folder.path() / "audit").string();
    {
        audit_log log{name};
        for (int i = 0; i != 100; ++i) log.add_failure("ada", "10.0.0.1");
        log.add_failure("", "10.0.0.1");
        const auto page = log.read(sign_ins, 0, 10);
        ASSERT_EQ(page.entries.size(), 2U);
        EXPECT_EQ(page.entries[1].user, "ada");
        EXPECT_EQ(page.entries[1].times, 100U);
    }
    std::ifstream file{name};
    int lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    EXPECT_EQ(lines, 7 + 1) << "for the 1st, 2nd, 4th ... 64th, and the other";
    const audit_log again{name};
    const auto page = again.read(sign_ins, 0, 10);
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(page.entries[1].times, 64U);
}

// The orders of two operators overlap in time. When the log reads its file again, it must assign each outcome to the
// right order.
TEST_F(admin_audit, outcomes_are_read_back_to_their_orders) {
    const auto name = (folder.path() / "audit").string();
    {
        audit_log log{name};
        const auto first = log.add(entry("ann"));
        const auto second = log.add(entry("bob"));
        log.conclude(first, "deleted", "");
        log.conclude(second, "cancelled", "cancelled by ann");
    }
    const audit_log again{name};
    const auto page = again.read(orders, 0, 10);
    ASSERT_EQ(page.entries.size(), 2U);
    EXPECT_EQ(page.entries[0].outcome, "cancelled");
    EXPECT_EQ(page.entries[0].message, "cancelled by ann");
    EXPECT_EQ(page.entries[1].outcome, "deleted");
}

TEST_F(admin_audit, filters) {
    audit_log log{""};
    auto old = entry("Ann", "deleted");
    old.time = parse_time("2026-11-21T04:38:36Z").value();
    log.add(old);
    auto other = entry("bob", "asked");
    other.action = "ask";
    other.path = "/jobs/a";
    log.add(other);
    const auto found = [&](const audit_filter& filter) { return log.read(filter, 0, 10).total; };
    EXPECT_EQ(found({}), 2U);
    EXPECT_EQ(found({.action = "ask"}), 1U);
    EXPECT_EQ(found({.outcome = "deleted"}), 1U);
    EXPECT_EQ(found({.author = "aNN"}), 1U);
    EXPECT_EQ(found({.author = "127.0.0.1"}), 2U);
    EXPECT_EQ(found({.path = "/locks"}), 1U);
    EXPECT_EQ(found({.path = "/ocks"}), 0U);
    EXPECT_EQ(found({.path = "ocks"}), 1U);
    EXPECT_EQ(found({.since = parse_time("2026-11-21").value(),
                     .until = parse_time("2026-11-22").value()}),
              1U);
    EXPECT_EQ(found({.until = old.time}), 0U);
    EXPECT_EQ(log.read({}, 1, 1).entries.front().by, "Ann");
    for (const auto* wrong :
         {"", "yesterday", "2026", "2026-11-21x", "2026-11-21T04", "9999-01-01"})
        EXPECT_FALSE(parse_time(wrong)) << wrong;
}

TEST(admin_audit_csv, cells_change_neither_terminal_nor_spreadsheet) {
    const std::pair<std::string, std::string> table[] = {
        {"plain", R"("plain")"},
        {"", R"("")"},
        {"Jürgen 🔒", R"("Jürgen 🔒")"},
        {"a \"b\", c", R"("a ""b"", c")"},
        {"\x1b[2J", R"("\x1b[2J")"},
        {"a\r\nb", R"("a\x0d\x0ab")"},
        {"\xe2\x80\xaegpj.exe", R"("\xe2\x80\xaegpj.exe")"},  // U+202E
        {"\xe2\x81\xa6x", R"("\xe2\x81\xa6x")"},              // U+2066
        {"\xc2\x9b"
         "2J",
         R"("\xc2\x9b2J")"},  // U+009B
        {"\xff", R"("\xff")"},
        {"=1+1", R"("'=1+1")"},
        {"+1", R"("'+1")"},
        {"-1", R"("'-1")"},
        {"@sum", R"("'@sum")"},
        {" =cmd", R"("' =cmd")"},
        {"\t=1", R"("\x09=1")"},
        {"a=b", R"("a=b")"},
    };
    for (const auto& [text, cell] : table) EXPECT_EQ(csv_cell(text), cell) << text;
}

}  // namespace
}  // namespace turnstile::admin
