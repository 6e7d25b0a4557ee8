// SPDX-License-Identifier: Apache-2.0
// Checks that the command escapes texts of other clients, which could control a terminal or break JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "cli/duration.hpp"
#include "cli/kind_words.hpp"
#include "cli/standard_streams.hpp"
#include "cli/survey_text.hpp"
#include "cli/text_layout.hpp"
#include "core/contender/contender_errors.hpp"

namespace turnstile::cli {
namespace {

using namespace std::chrono_literals;

// Tests the errors that std::thread throws, which have no text except the system's.
TEST(explanation, names_what_failed_and_the_limit_to_raise) {
    const auto explain = [](int number, const char* subject) {
        return explanation_of(subject == nullptr
                                  ? std::system_error{number, std::generic_category()}
                                  : std::system_error{number, std::generic_category(), subject});
    };
    const std::string remedy =
        "; raise the limit of memory (ulimit -v) or of processes and threads (ulimit -u, pids.max "
        "of the control group)";
    const std::string unavailable = "Resource temporarily unavailable";
    EXPECT_EQ(explain(EAGAIN, nullptr), "cannot start a thread: " + unavailable + remedy);
    EXPECT_EQ(explain(EAGAIN, "fork"), "fork: " + unavailable + remedy);
    EXPECT_EQ(explain(EMFILE, "pipe"), "pipe: Too many open files");
}

TEST(duration_text, the_two_largest_units) {
    EXPECT_EQ(duration_text(0s), "0 s");
    EXPECT_EQ(duration_text(59s), "59 s");
    EXPECT_EQ(duration_text(60s), "1 min");
    EXPECT_EQ(duration_text(303s), "5 min 3 s");
    EXPECT_EQ(duration_text(3h + 20min + 5s), "3 h 20 min");
    EXPECT_EQ(duration_text(52h), "2 d 4 h");
}

TEST(kind_words, name_the_options_of_both_kinds) {
    const error beside{
        errc::bad_option,
        core::foreign_kind("/l", core::contender_family::read_write, core::contender_family::lock)};
    EXPECT_EQ(message_with_options(beside, wanted_kind::exclusive),
              "bad option: /l: a mutex came first at this path (--mutex), and --exclusive does not "
              "exclude a mutex: give --mutex, or another path");
    const error election{errc::bad_option, core::foreign_kind("/l", core::contender_family::lock,
                                                              core::contender_family::latch)};
    EXPECT_EQ(message_with_options(election, wanted_kind::mutex),
              "bad option: /l: a leader by LeaderLatch's protocol came first at this path, and "
              "--mutex does not exclude a leader by LeaderLatch's protocol: choose another path");
    EXPECT_EQ(message_of_elect(
                  {errc::bad_option, core::foreign_kind("/l", core::contender_family::latch,
                                                        core::contender_family::read_write)}),
              "bad option: /l: a shared_mutex came first at this path, and an election does not "
              "exclude a shared_mutex: choose another path");
    EXPECT_EQ(message_of_elect({errc::bad_path, "/l"}), "bad path: /l");
    EXPECT_EQ(
        message_with_options(
            {errc::bad_path, "/l is no semaphore: its data is not a number of permits but \"\""},
            wanted_kind::permits),
        "bad path: /l: programs use this path without --permits (with --mutex, --exclusive or "
        "--shared): give the same option, or another path");
    const error other{errc::busy, "/l: contenders ahead: 1"};
    EXPECT_EQ(message_with_options(other, wanted_kind::mutex), other.message());
}

TEST(ordinal, as_people_say_it) {
    EXPECT_EQ(ordinal(1), "1st");
    EXPECT_EQ(ordinal(2), "2nd");
    EXPECT_EQ(ordinal(3), "3rd");
    EXPECT_EQ(ordinal(4), "4th");
    EXPECT_EQ(ordinal(11), "11th");
    EXPECT_EQ(ordinal(112), "112th");
    EXPECT_EQ(ordinal(122), "122nd");
}

TEST(waiting_line, says_where_we_stand_and_before_whom) {
    const auto now = std::chrono::system_clock::now();
    contender first;
    first.created = now - 12s;
    first.metadata.host = "web-2";
    first.metadata.pid = "4711";
    first.metadata.label = "night\x1bly";
    EXPECT_EQ(waiting_line("/locks/a", 1, {first, {}}, now),
              "/locks/a: waiting, 2nd of 2; first is web-2, pid 4711, night\\x1bly, in the queue "
              "for 12 s");
    EXPECT_EQ(waiting_line("/locks/a", 5, {}, now), "/locks/a: waiting, 5 contenders ahead");
    first.metadata = contender_metadata::parse("10.0.0.7");
    EXPECT_EQ(waiting_line("/locks/a", 1, {first, {}}, now),
              "/locks/a: waiting, 2nd of 2; first is 10.0.0.7, in the queue for 12 s");
}

TEST(identity, of_a_foreign_contender_with_a_large_znode_is_its_beginning) {
    contender foreign;
    foreign.metadata.text = "\u00e4" + std::string(1 << 20, 'x');
    EXPECT_EQ(identity_of(foreign), "\u00e4" + std::string(79, 'x') + "...");
    foreign.metadata.host = std::string(80, 'h');
    EXPECT_EQ(identity_of(foreign), foreign.metadata.host);
    // The second line has the data that a participant of an election publishes.
    foreign.metadata = {.text = "host-1\nturnstile-data=10.0.0.7:8080"};
    EXPECT_EQ(identity_of(foreign), "host-1");
    foreign.metadata = {};
    EXPECT_EQ(identity_of(foreign), "another client");
}

TEST(table, columns_line_up) {
    table rows{{"LOCK", "BY"}};
    rows.add({"/a", "\u65e5\u672c"});
    rows.add({"/locks/\x1b", ""});
    EXPECT_EQ(rows.text(), "LOCK         BY\n/a           \u65e5\u672c\n/locks/\\x1b  -\n");
    EXPECT_EQ(width_of("\u65e5\u672ca\u00e4"), 6U);
}

// Another client may choose a huge name, which must not widen all rows.
TEST(table, a_huge_cell_widens_its_own_row_only) {
    const std::string huge(60'000, 'x');
    table rows{{"LOCK", "BY"}};
    rows.add({"/a", "b"});
    rows.add({huge, "c"});
    EXPECT_EQ(rows.text(), "LOCK  BY\n/a    b\n" + huge + "  c\n");
}

TEST(screen, what_does_not_fit_is_left_out) {
    EXPECT_EQ(fitted("abc\nde\n", {80, 24}), "abc\nde\n");
    EXPECT_EQ(fitted("abcdef\n\u65e5\u672c\u65e5\n", {4, 24}), "abcd\n\u65e5\u672c\n");
    EXPECT_EQ(fitted("1\n2\n3\n4\n5\n", {80, 6}), "1\n2\n3\n4\n5\n");
    EXPECT_EQ(fitted("1\n2\n3\n4\n5\n", {80, 5}), "1\n2\n3\n... and 2 more\n");
    EXPECT_EQ(fitted("1\n2\n", {80, 1}), "... and 2 more\n");
}

surveyed_lock some_lock(std::chrono::system_clock::time_point now) {
    contender holder;
    holder.kind = contender_kind::permit;
    holder.created = now - 12s;
    holder.session_id = 0x1f;
    holder.metadata.host = "web\n2";
    contender waiter;
    waiter.created = now;
    waiter.metadata.text = "10.0.0.7\xff";
    return {"/locks/a\"b", lock_kind::semaphore, 5, {holder}, {waiter}, 3};
}

TEST(survey_text, a_line_for_each_lock) {
    const auto now = std::chrono::system_clock::now();
    EXPECT_EQ(list_text({{some_lock(now)}, {}}, now),
              "LOCK        KIND            HELD BY   AGE   WAITING\n"
              "/locks/a\"b  semaphore of 3  web\\x0a2  12 s  4\n");
    EXPECT_EQ(list_text({}, now), "");
}

TEST(survey_text, a_sentence_where_there_is_no_lock) {
    EXPECT_EQ(nothing_text({}, "/a\x1b"), "no lock is held or waited for below /a\\x1b");
    EXPECT_EQ(nothing_text({{}, {"/secret"}}, "/"),
              "no lock is held or waited for below /, as far as this client may read");
}

TEST(survey_text, a_queue) {
    const auto now = std::chrono::system_clock::now();
    EXPECT_EQ(queue_text(some_lock(now), now, false),
              "/locks/a\"b  semaphore of 3, 5 contenders\n"
              "PLACE  HOST          PID  LABEL  AGE   TOKEN\n"
              "holds  web\\x0a2      -    -      12 s  0x0\n"
              "1st    10.0.0.7\\xff  -    -      0 s   0x0\n"
              "... and 3 more\n");
}

TEST(survey_json, is_json_whatever_names_say) {
    const auto text = survey_json({{some_lock(std::chrono::system_clock::time_point{})}, {"/no"}});
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
    EXPECT_NE(text.find(R"("path":"/locks/a\"b","kind":"semaphore","contenders":5,"permits":3)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find(R"("session":"0x1f","created":"1969-12-31T23:59:48.000Z","host":"web\n2")"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\"text\":\"10.0.0.7\\ufffd\""), std::string::npos) << text;
    EXPECT_NE(text.find(R"("unreadable":["/no"]})"), std::string::npos) << text;
}

}  // namespace
}  // namespace turnstile::cli
