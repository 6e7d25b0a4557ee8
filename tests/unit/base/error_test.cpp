// SPDX-License-Identifier: Apache-2.0
#include "turnstile/error.hpp"

#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>
#include <cctype>
#include <chrono>
#include <fstream>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "client/session_pool.hpp"
#include "core/contender/contender_errors.hpp"
#include "local/faults.hpp"
#include "needs_interruption.hpp"
#include "turnstile/lock_survey.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/node.hpp"
#include "turnstile/result.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;

std::set<std::string> triples_of_words(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            words.back() += c;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) words.pop_back();
    std::set<std::string> triples;
    for (std::size_t i = 2; i < words.size(); ++i)
        triples.insert(words[i - 2] + ' ' + words[i - 1] + ' ' + words[i]);
    return triples;
}

// Returns three successive words that the error's detail repeats from the text of its code; "" if there are none.
std::string repeated_words(const error& told) {
    const auto text = triples_of_words(error_category().message(static_cast<int>(told.code())));
    for (const auto& triple : triples_of_words(told.detail()))
        if (text.contains(triple)) return triple;
    return {};
}

// Returns one error for each kind of request that servers refuse permanently.
std::vector<error> refused_requests() {
    using core::server_error;
    std::vector<error> all{
        core::quota_exceeded("/a"),
        core::sessions_are_local("/a"),
        core::no_more_upgrades("/a"),
        core::path_not_taken("/a"),
        core::ephemeral_in_the_way("/a", "a parent"),
        core::credentials_not_accepted(),
        core::taken_away("/a", {core::revocation_text::how::take, "ops", "deployment"}),
        detail::no_more_connections(1),
    };
    for (const auto why :
         {server_error::no_node, server_error::node_exists, server_error::not_empty,
          server_error::bad_version, server_error::no_auth, server_error::quota_exceeded,
          server_error::local_session, server_error::other}) {
        all.push_back(core::refused_part(core::create_op{"/a/b", "1"}, 0, why));
        all.push_back(core::refused_part(core::set_op{"/a", "1", 3}, 1, why));
        all.push_back(core::refused_guard("/a/b", why));
    }
    return all;
}

// Returns the error's message, and checks that its detail does not repeat the text of its code.
std::string said_once(const error& told) {
    EXPECT_EQ(repeated_words(told), "") << told.message();
    return told.message();
}

TEST(error, message_escapes_what_other_clients_wrote_and_detail_does_not) {
    const auto taken =
        core::taken_away("/lock", {core::revocation_text::how::take, "ops\n", "\x1b[2J"});
    EXPECT_NE(taken.detail().find("ops\n: \x1b[2J"), std::string::npos);
    EXPECT_NE(taken.message().find("by ops\\x0a: \\x1b[2J"), std::string::npos) << taken.message();
}

TEST(error, every_code_has_a_text_of_its_own) {
    std::set<std::string> texts;
    for (int code = 1; code <= static_cast<int>(errc::local_session); ++code) {
        const auto text = error_category().message(code);
        EXPECT_NE(text, "unknown error") << code;
        EXPECT_TRUE(texts.insert(text).second) << text;
    }
    EXPECT_EQ(error_category().message(0), "unknown error");
    EXPECT_EQ(error_category().message(static_cast<int>(errc::local_session) + 1), "unknown error");
}

TEST(error, message_names_the_text_and_what_is_known_beyond_it) {
    EXPECT_EQ(error{errc::closed}.message(), "the client is closed");
    EXPECT_EQ((error{errc::bad_path, "\"x\" has no slash"}.message()),
              "bad path: \"x\" has no slash");
}

TEST(error, message_of_a_refusal_says_nothing_twice) {
    for (const auto& refused : refused_requests()) said_once(refused);
    EXPECT_EQ(core::refused_part(core::create_op{"/a/b", "1"}, 0, core::server_error::no_node),
              (error{errc::no_node,
                     "part 0 (create \"/a/b\"): the parent is missing; transaction::make "
                     "creates it"}
                   .of_part(0)));
    EXPECT_EQ(core::refused_guard("/a", core::server_error::no_auth).message(),
              "an ACL forbids the request: /a; nothing was written");
    EXPECT_EQ(repeated_words({errc::not_connected, "no server of zk:2181 could be used in time"}),
              "be used in")
        << "it would be found";
}

TEST(error, message_of_a_call_says_nothing_twice) {
    TURNSTILE_NEEDS_INTERRUPTION();
    EXPECT_EQ(said_once(guard{}.status().error()),
              "this call needs a hold, and none exists: the guard was released, moved from, or "
              "never had a hold");
    local::faults faults{"said-once"};
    const client servers{"local:said-once",
                         {.credentials = "a:b", .acl = access_policy::creator_only}};
    mutex lock{servers, "/locks/a"};
    const auto hold = lock.acquire({.timeout = testing::limit()}).value();
    const auto busy = said_once(lock.try_acquire().error());
    EXPECT_TRUE(busy.starts_with(
        "the lock or gate is busy: /locks/a: this client holds the lock already: "))
        << busy;
    const auto refusal_of = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const std::system_error& refused) {
            return refused.what();
        }
        return {};
    };
    EXPECT_EQ(refusal_of([&] { lock.unlock(); }),
              "the calling thread does not hold the lock: /locks/a: unlock() ends a hold of lock() "
              "on the same thread; if a guard of acquire() holds the lock, release the guard");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(said_once(lock.acquire({.stop = stop.get_token()}).error()),
              "cancelled by the stop token: /locks/a");
    said_once(lock.acquire({.timeout = 1ms}).error());
    std::string interrupted;
    boost::thread waiting{[&] { interrupted = said_once(lock.acquire().error()); }};
    waiting.interrupt();
    waiting.join();
    EXPECT_EQ(interrupted, "interrupted: the wait for /locks/a");

    const client others{"local:said-once"};
    mutex theirs{others, "/locks/a"};
    EXPECT_EQ(said_once(theirs.holder().error()), "an ACL forbids the request: to read /locks/a");
    EXPECT_EQ(said_once(theirs.try_acquire().error()),
              "an ACL forbids the request: to create a znode in /locks/a");
    EXPECT_EQ(said_once(read_node(others, "/nothing").error()), "a znode does not exist: /nothing");

    faults.expire(servers.session().id);
    EXPECT_TRUE(testing::eventually([&] { return hold.lost().stop_requested(); }));
    EXPECT_EQ(said_once(hold.status().error()),
              "the session with the servers was lost: the servers expired the session");
}

TEST(error, message_without_a_server_says_nothing_twice) {
    local::faults faults{"said-once-away"};
    faults.refuse_connections();
    client away{"local:said-once-away"};
    EXPECT_EQ(said_once(away.wait_connected(1ms).error()).find("no server could be used in time: "),
              0U);
    const auto late = said_once(mutex{away, "/locks/a"}.acquire({.timeout = 1ms}).error());
    EXPECT_EQ(late.find("no server could be used in time: /locks/a, at "), 0U) << late;
    said_once(read_node(away, "/a", {.timeout = 1ms}).error());
    const client moved{std::move(away)};
    // NOLINTNEXTLINE(bugprone-use-after-move): it is what is tested
    EXPECT_EQ(said_once(locks_below(away, "/").error()),
              "the client is closed: the client object was moved from");
}

TEST(error, compares_with_codes_and_standard_conditions) {
    EXPECT_TRUE(error{errc::busy} == errc::busy);
    EXPECT_FALSE(error{errc::busy} == errc::timeout);
    EXPECT_TRUE(std::error_code{errc::timeout} == std::errc::timed_out);
    EXPECT_TRUE(std::error_code{errc::would_deadlock} == std::errc::resource_deadlock_would_occur);
    EXPECT_FALSE(std::error_code{errc::removed} == std::errc::timed_out);
    EXPECT_STREQ(std::error_code{errc::removed}.category().name(), "turnstile");
}

TEST(error, has_a_condition_that_codes_and_exceptions_compare_with) {
    EXPECT_TRUE(error{errc::revoked} == condition::lost);
    EXPECT_FALSE(error{errc::revoked} == condition::busy);
    EXPECT_EQ(error{errc::not_connected}.condition(), condition::unreachable);
    EXPECT_TRUE(error{errc::not_connected}.is_retryable());
    EXPECT_FALSE(is_retryable(errc::bad_path));
    EXPECT_TRUE(std::error_code{errc::bad_path} == condition::misuse);
    EXPECT_FALSE(std::error_code{errc::bad_path} == condition::refused);
    EXPECT_FALSE(std::make_error_code(std::errc::timed_out) == condition::busy);
    EXPECT_STREQ(std::error_condition{condition::lost}.category().name(), "turnstile.condition");
    EXPECT_EQ(std::error_condition{condition::lost}.message(),
              "the hold or the place in the queue was lost");
}

// ---- the table of docs/reference/errors.md ---------------------------------------------------

// Returns a row "| `code` | `condition` | yes or no |" for each code, in the order of the page.
std::vector<std::string> rows_of_the_page() {
    std::vector<std::string> rows;
    std::ifstream page{TURNSTILE_SOURCE_DIR "/docs/reference/errors.md"};
    bool of_codes = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) of_codes = line == "## All codes";
        if (!of_codes || !line.starts_with("| `")) continue;
        auto end = line.find('|', 2);
        for (int cell = 0; cell != 2; ++cell) end = line.find('|', end + 1);
        rows.push_back(line.substr(0, end + 1));
    }
    return rows;
}

const char* name_of(condition kind) {
    switch (kind) {
        case condition::busy: return "busy";
        case condition::lost: return "lost";
        case condition::stopped: return "stopped";
        case condition::unreachable: return "unreachable";
        case condition::refused: return "refused";
        case condition::conflict: return "conflict";
        case condition::unknown: return "unknown";
        case condition::misuse: return "misuse";
    }
    return "";
}

// Returns the names of the enum's values. C++20 cannot list them, so the function reads them from the header.
std::vector<std::string> names_of_codes() {
    std::vector<std::string> names;
    std::ifstream header{TURNSTILE_SOURCE_DIR "/include/turnstile/error.hpp"};
    bool inside = false;
    for (std::string line; std::getline(header, line);) {
        if (line == "enum class errc {") {
            inside = true;
        } else if (line == "};") {
            inside = false;
        } else if (inside && line.size() > 4 && std::islower(line[4]) != 0) {
            names.push_back(line.substr(4, line.find_first_of(", ", 4) - 4));
        }
    }
    return names;
}

TEST(error, has_one_condition_for_each_code_and_the_page_has_the_table) {
    const auto names = names_of_codes();
    ASSERT_GE(names.size(), 32U);
    std::vector<std::string> rows;
    for (std::size_t i = 0; i != names.size(); ++i) {
        const std::error_code code = static_cast<errc>(i + 1);
        ASSERT_NE(code.message(), "unknown error") << names[i];
        int conditions = 0;
        for (int kind = 1; kind <= static_cast<int>(condition::misuse); ++kind)
            conditions += code == static_cast<condition>(kind) ? 1 : 0;
        EXPECT_EQ(conditions, 1) << names[i];
        const auto own = static_cast<errc>(i + 1);
        rows.push_back("| `" + names[i] + "` | `" + name_of(condition_of(own)) + "` | " +
                       (is_retryable(own) ? "yes" : "no") + " |");
    }
    EXPECT_EQ(std::error_code{static_cast<errc>(names.size() + 1)}.message(), "unknown error");
    EXPECT_EQ(rows_of_the_page(), rows);
}

TEST(error, is_thrown_as_a_system_error_with_the_same_code_and_message) {
    try {
        throw_error({errc::bad_option, "tick is 0"});
        FAIL();
    } catch (const std::system_error& thrown) {
        EXPECT_EQ(thrown.code(), errc::bad_option);
        EXPECT_STREQ(thrown.what(), "bad option: tick is 0");
    }
}

TEST(error, result_holds_a_value_or_an_error) {
    EXPECT_EQ(*result<int>{3}, 3);
    EXPECT_EQ(result<int>{errc::closed}.error(), errc::closed);
    EXPECT_THROW(static_cast<void>(result<int>{errc::closed}.value()), std::system_error);
    EXPECT_THROW(result<void>{errc::closed}.value(), std::system_error);
    EXPECT_NO_THROW(result<void>{}.value());
}

}  // namespace
}  // namespace turnstile
