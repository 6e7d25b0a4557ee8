// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "base/random.hpp"
#include "client/metadata.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile {
namespace {

contender_metadata sample() {
    contender_metadata metadata;
    metadata.resource = "/locks/orders";
    metadata.host = "web1";
    metadata.pid = "12";
    metadata.thread = "13";
    metadata.label = "orders";
    metadata.owner = "task 7";
    metadata.since = "2026-11-21T04:38:36Z";
    return metadata;
}

void expect_equal(const contender_metadata& a, const contender_metadata& b) {
    EXPECT_EQ(a.resource, b.resource);
    EXPECT_EQ(a.host, b.host);
    EXPECT_EQ(a.pid, b.pid);
    EXPECT_EQ(a.thread, b.thread);
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.owner, b.owner);
    EXPECT_EQ(a.since, b.since);
}

TEST(contender_metadata, is_one_readable_line) {
    EXPECT_EQ(sample().to_string(),
              "host=web1 pid=12 thread=13 label=orders owner=task%207 since=2026-11-21T04:38:36Z "
              "resource=/locks/orders");
}

TEST(contender_metadata, comes_back_from_its_line) {
    const auto text = sample().to_string();
    const auto back = contender_metadata::parse(text);
    expect_equal(back, sample());
    EXPECT_EQ(back.text, text);
}

TEST(contender_metadata, leaves_out_what_is_empty) {
    contender_metadata metadata;
    EXPECT_EQ(metadata.to_string(), "");
    metadata.label = "x";
    EXPECT_EQ(metadata.to_string(), "label=x");
    expect_equal(contender_metadata::parse("label=x"), metadata);
}

TEST(contender_metadata, stays_one_line_whatever_is_in_it) {
    contender_metadata metadata;
    metadata.label = "two words\nand a line, 100%, a=b, \x7f";
    EXPECT_EQ(metadata.to_string(), "label=two%20words%0aand%20a%20line,%20100%25,%20a=b,%20%7f");
    expect_equal(contender_metadata::parse(metadata.to_string()), metadata);
}

TEST(contender_metadata, comes_back_with_any_bytes) {
    for (int byte = 0; byte != 256; ++byte) {
        auto metadata = sample();
        metadata.label = std::string(1, static_cast<char>(byte)) + "x" + static_cast<char>(byte);
        expect_equal(contender_metadata::parse(metadata.to_string()), metadata);
    }
    base::random chance{1};
    for (int i = 0; i != 500; ++i) {
        auto metadata = sample();
        for (auto* field : {&metadata.label, &metadata.owner, &metadata.resource}) {
            field->assign(1 + chance() % 20, ' ');
            for (auto& c : *field) c = static_cast<char>(chance());
        }
        const auto text = metadata.to_string();
        EXPECT_EQ(text.find('\n'), std::string::npos);
        EXPECT_EQ(text.find('\0'), std::string::npos);
        expect_equal(contender_metadata::parse(text), metadata);
    }
}

// Curator writes an address, kazoo an identifier, and WriteLock two bytes.
TEST(contender_metadata, of_other_clients_is_only_text) {
    using namespace std::string_view_literals;
    for (const auto text : {"192.168.0.17"sv, ""sv, "\x12\x34"sv, "host web1"sv, "a=b c=d"sv}) {
        const auto parsed = contender_metadata::parse(text);
        EXPECT_EQ(parsed.text, text);
        expect_equal(parsed, contender_metadata{});
    }
}

TEST(contender_metadata, takes_odd_escapes_literally) {
    EXPECT_EQ(contender_metadata::parse("label=100%").label, "100%");
    EXPECT_EQ(contender_metadata::parse("label=%4").label, "%4");
    EXPECT_EQ(contender_metadata::parse("label=%zz%41").label, "%zzA");
    EXPECT_EQ(contender_metadata::parse("label=%4z").label, "%4z");
    EXPECT_EQ(contender_metadata::parse("label=%0x41").label, "%0x41");
    EXPECT_EQ(contender_metadata::parse("label=%-1").label, "%-1");
    EXPECT_EQ(contender_metadata::parse("label=%%41").label, "%A");
}

TEST(contender_metadata, takes_a_line_of_any_form) {
    const auto parsed = contender_metadata::parse("  pid=1   =x  label  pid=2 label= ");
    EXPECT_EQ(parsed.pid, "2");
    EXPECT_EQ(parsed.label, "");
}

std::string timeout_in(const std::string& claim) {
    return contender_metadata::parse("host=web1 timeout=" + claim).timeout;
}

TEST(contender_metadata, believes_no_session_timeout_that_a_client_cannot_ask_for) {
    for (const auto* claim : {"1", "30000", "3600000"}) EXPECT_EQ(timeout_in(claim), claim);
    for (const auto* claim : {"0", "-1", "3600001", "2147483647", "99999999999999999999", "1e3",
                              "30000ms", "%2030000", "0x10", "+5"})
        EXPECT_EQ(timeout_in(claim), "") << claim;
}

TEST(contender_metadata, leaves_out_what_this_library_would_not_have_written) {
    const auto field = [](const char* name, const std::string& claim) {
        const auto parsed = contender_metadata::parse(name + ("=" + claim));
        EXPECT_EQ(parsed.text, (name + ("=" + claim)).substr(0, 16'384));
        return parsed.host + parsed.pid + parsed.thread + parsed.label + parsed.owner +
               parsed.since + parsed.resource;
    };
    for (const auto* name : {"pid", "thread"}) {
        EXPECT_EQ(field(name, "4711"), "4711");
        for (const auto* claim : {"0", "-7", "2147483648", "12a", "%1b[2J"})
            EXPECT_EQ(field(name, claim), "") << name << " " << claim;
    }
    EXPECT_EQ(field("host", "web-2.example"), "web-2.example");
    for (const auto* claim : {"web%0a2", "%1b[2J", "two%20words", "%7f"})
        EXPECT_EQ(field("host", claim), "") << claim;
    EXPECT_EQ(field("since", "2026-11-21T04:38:36Z"), "2026-11-21T04:38:36Z");
    for (const auto* claim : {"2026-11-21T04:38:36", "yesterday", "2026-11-21T04:38:36Z%0a"})
        EXPECT_EQ(field("since", claim), "") << claim;
    const std::pair<const char*, std::size_t> longest[]{
        {"host", 255}, {"label", 1024}, {"owner", 256}, {"resource", 4096}};
    for (const auto& [name, length] : longest) {
        EXPECT_EQ(field(name, std::string(length, 'x')), std::string(length, 'x')) << name;
        EXPECT_EQ(field(name, std::string(length + 1, 'x')), "") << name;
    }
}

TEST(contender_metadata, keeps_the_beginning_of_a_text_as_long_as_a_znode) {
    EXPECT_EQ(contender_metadata::parse(std::string(1 << 20, 'x')).text, std::string(16'384, 'x'));
}

TEST(contender_metadata, of_this_process_says_who_it_is) {
    const auto mine = contender_metadata::parse(
        detail::contender_text("night run", "task 7", std::chrono::seconds{10}));
    EXPECT_EQ(mine.label, "night run");
    EXPECT_EQ(mine.owner, "task 7");
    EXPECT_NE(mine.host, "");
    EXPECT_NE(mine.pid, "");
    EXPECT_NE(mine.thread, "");
    ASSERT_EQ(mine.since.size(), 20U);
    EXPECT_EQ(mine.since[10], 'T');
    EXPECT_EQ(mine.since.back(), 'Z');
}

TEST(thread_owner, differs_from_thread_to_thread) {
    const auto mine = thread_owner();
    EXPECT_EQ(mine.size(), 16U);
    EXPECT_EQ(thread_owner(), mine);
    std::string other;
    std::thread{[&] { other = thread_owner(); }}.join();
    EXPECT_NE(other, mine);
}

TEST(thread_owner, differs_in_a_forked_child) {
    const auto mine = thread_owner();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(thread_owner() == mine ? 1 : 0);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace turnstile
