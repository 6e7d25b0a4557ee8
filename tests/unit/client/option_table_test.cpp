// SPDX-License-Identifier: Apache-2.0
// Tests which options of a composite lock, such as a multi_lock, also apply to the single locks in it. Also compares
// docs/reference/options.md with the code.
#include "client/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/acquire_request.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Functions take these options by value, so the objects must stay small.
static_assert(sizeof(acquire_options) <= 160);

acquire_options everything() {
    acquire_options options;
    options.timeout = 5s;
    options.on_entered = [](const std::string&) {};
    options.on_lost = [](const error&) {};
    options.warn_before = 2s;
    options.max_hold = 7s;
    options.label = "label";
    options.owner = "owner";
    return options;
}

TEST(option_table, parts_have_what_is_passed_and_nothing_else) {
    const auto whole = everything();
    const auto of_multi = options_of_part(whole, composite::multi);
    EXPECT_TRUE(of_multi.on_entered);
    EXPECT_FALSE(of_multi.on_lost);
    EXPECT_EQ(of_multi.warn_before, 2s);
    EXPECT_EQ(of_multi.max_hold, 0s);
    EXPECT_EQ(of_multi.owner, "owner");
    EXPECT_FALSE(of_multi.timeout.deadline());

    const auto of_shared = options_of_part(whole, composite::shared);
    EXPECT_EQ(of_shared.label, "label");
    EXPECT_EQ(of_shared.owner, "");
    EXPECT_EQ(of_shared.warn_before, 0s);
    EXPECT_FALSE(options_of_part(whole, composite::quorum).on_entered);
}

TEST(option_table, a_refusal_names_the_composite_the_option_the_value_and_the_reason) {
    const auto refusal = check_refused({.max_hold = 7ns}, composite::quorum, "quorum_lock");
    ASSERT_FALSE(refusal);
    EXPECT_EQ(refusal.error(), errc::bad_option);
    EXPECT_EQ(refusal.error().detail(),
              "quorum_lock: max_hold 7 ns: a quorum_lock has no such option, because it acquires a "
              "part again when that part's hold has ended");
    EXPECT_TRUE(check_refused({.max_hold = 7ns}, composite::multi, "multi_lock"));
    EXPECT_TRUE(check_refused({}, composite::quorum, "quorum_lock"));
}

TEST(option_table, only_what_is_needed_later_is_kept) {
    EXPECT_FALSE(with_user_code({.label = "label"}).changed());
    EXPECT_TRUE(with_user_code({.on_lost = [](const error&) {}}).changed());
    EXPECT_TRUE(needed_later({.label = "label"}, composite::shared).changed());
    EXPECT_FALSE(needed_later({.owner = "owner"}, composite::shared).changed());
}

// ---- the table in docs/reference/options.md -------------------------------------------------

std::string word(derivation::kind kind) {
    if (kind == derivation::kind::passed) return "passed";
    return kind == derivation::kind::refused ? "refused" : "handled";
}

// Reads the rows "| `option` | word ... | ... |" of the page. Returns the first word of each further cell, by option.
std::map<std::string, std::vector<std::string>> documented() {
    std::map<std::string, std::vector<std::string>> rows;
    std::ifstream page{TURNSTILE_SOURCE_DIR "/docs/reference/options.md"};
    EXPECT_TRUE(page);
    for (std::string line; std::getline(page, line);) {
        if (!line.starts_with("| `")) continue;
        const auto name_end = line.find('`', 3);
        std::vector<std::string> words;
        for (auto at = line.find('|', name_end); at + 2 < line.size(); at = line.find('|', at + 1))
            words.push_back(line.substr(at + 2, line.find_first_of(" :,", at + 2) - at - 2));
        rows[line.substr(3, name_end - 3)] = words;
    }
    return rows;
}

TEST(option_table, is_the_one_of_the_documents) {
    std::map<std::string, std::vector<std::string>> rows;
    for_each_option([&rows](const auto& row) {
        rows[std::string{row.name}] = {word(row.multi.treatment), word(row.quorum.treatment),
                                       word(row.shared.treatment)};
    });
    EXPECT_EQ(documented(), rows);
}

// ---- the request that make_request() derives from an acquire's options ----------------------

acquire_request checked(acquire_options&& options, core::attempt mode = core::attempt::wait) {
    return make_request(std::move(options), mode, 3s).value();
}

TEST(acquire_request, has_one_deadline_whatever_its_options_said) {
    const auto before = boottime_clock::now();
    const auto request = checked({.timeout = 5s});
    ASSERT_TRUE(request.message.deadline);
    EXPECT_GE(*request.message.deadline, before + 5s);
    EXPECT_LE(*request.message.deadline, boottime_clock::now() + 5s);
    EXPECT_FALSE(request.options.timeout.deadline());
    EXPECT_FALSE(checked({}).message.deadline) << "for ever";
}

TEST(acquire_request, without_time_is_an_attempt) {
    const auto request = checked({.timeout = 0s});
    EXPECT_EQ(request.message.settings.mode, core::attempt::once);
    EXPECT_TRUE(request.message.deadline);
}

TEST(acquire_request, an_attempt_has_a_limit_in_any_case) {
    EXPECT_TRUE(checked({}, core::attempt::once).message.deadline);
    EXPECT_FALSE((acquire_request{{}, core::attempt::once}).message.deadline)
        << "the parts have their own";
}

TEST(acquire_request, names_the_calling_thread_where_no_owner_is_named) {
    auto request = checked({});
    EXPECT_EQ(request.options.owner, "");
    request.name_owner();
    EXPECT_EQ(request.options.owner, thread_owner());
    auto owned = checked({.owner = "me"});
    owned.name_owner();
    EXPECT_EQ(owned.options.owner, "me");
}

TEST(acquire_request, is_refused_for_what_no_call_may_have) {
    EXPECT_THAT(make_request({.max_hold = -1ns}, {}, 3s).error().message(),
                HasSubstr("max_hold -1 ns"));
    EXPECT_EQ(make_request({.label = std::string(1025, 'x')}, {}, 3s).error(), errc::bad_option);
}

TEST(acquire_request, a_warning_needs_a_callback) {
    EXPECT_EQ(checked({.warn_before = 2s}).message.warn_before, 0s);
    const auto listening =
        checked({.warn_before = 2s, .on_expiring = [](boottime_clock::duration) {}});
    EXPECT_EQ(listening.message.warn_before, 2s);
}

}  // namespace
}  // namespace turnstile::detail
