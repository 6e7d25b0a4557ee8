// SPDX-License-Identifier: Apache-2.0
// Checks that the commands refuse invalid paths before they contact a server. So no server runs here.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"

namespace turnstile::cli {
namespace {

using words = std::vector<std::string>;

// The words of a command before and after its path.
struct usage {
    words before;
    words behind;
    bool lock = true;  // false: the path is a folder, which may be "/"
};

const std::vector<usage> k_usages{
    {{"run"}, {"--", "true"}},
    {{"run", "/good"}, {"--", "true"}},
    {{"run", "--mutex", "--once-per", "1h"}, {"--", "true"}},
    {{"elect"}, {"--", "true"}},
    {{"elect", "--listen"}, {}},
    {{"ask"}, {}},
    {{"take", "--yes", "--reason", "maintenance"}, {}},
    {{"bench", "--yes", "--path"}, {}},
    {{"mkdir"}, {}, false},
    {{"ls"}, {}, false},
    {{"show"}, {}, false},
    {{"watch"}, {}, false},
    {{"sessions"}, {}, false},
    {{"doctor"}, {}, false},
};

// Returns the command's message about the path, without the advice that follows.
std::string complaint(const usage& command, const std::string& path) {
    words line = command.before;
    line.push_back(path);
    line.insert(line.end(), {"--servers", "127.0.0.1:1", "--connect-timeout", "1ms"});
    line.insert(line.end(), command.behind.begin(), command.behind.end());
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_command_line(line), k_usage) << command.before.front() << " " << path;
    const auto said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find('\n') + 1, said.size()) << said;
    const auto advice = "; see: turnstile " + command.before.front() + " --help\n";
    EXPECT_TRUE(said.ends_with(advice)) << said;
    return said.substr(0, said.size() - std::min(advice.size(), said.size()));
}

void expect_refused(const std::string& path, const std::string& sentence) {
    for (const auto& command : k_usages)
        EXPECT_EQ(complaint(command, path), "turnstile: path " + sentence)
            << command.before.front();
}

TEST(path, has_a_slash_in_front) {
    expect_refused("nopath", R"("nopath": must start with "/")");
    expect_refused("./a", R"("./a": must start with "/")");
}

TEST(path, is_no_list) {
    expect_refused("[/a,/b]", R"("[/a,/b]": must start with "/")");
    expect_refused("[/a]", R"("[/a]": must start with "/")");
}

TEST(path, is_there) {
    expect_refused("", R"("": must not be empty)");
}

TEST(path, has_names_between_its_slashes) {
    expect_refused("/locks/", R"("/locks/": must not end with "/")");
    expect_refused("/locks//a", R"("/locks//a": must not contain an empty name ("//"))");
    expect_refused("/locks/../a", R"("/locks/../a": must not contain the name "..")");
}

// The message must escape these bytes, because a terminal would act on them.
TEST(path, has_no_control_character) {
    expect_refused("/a\x1b[2J", R"("/a\x1b[2J": character U+001B at byte 2 is not allowed)");
    expect_refused("/a\nb", R"("/a\x0ab": character U+000A at byte 2 is not allowed)");
    expect_refused("/a\xff", R"("/a\xff": byte 2 is not valid UTF-8)");
}

TEST(path, is_no_novel) {
    const std::string longest = "/" + std::string(32 * 1024, 'a');
    expect_refused(longest, "\"" + longest.substr(0, 80) +
                                "\"...: has 32769 bytes, more than the 32768 that are allowed");
}

TEST(path, of_a_lock_is_not_the_root) {
    for (const auto& command : k_usages) {
        if (!command.lock) continue;
        EXPECT_EQ(complaint(command, "/"),
                  "turnstile: path \"/\": the root cannot be a lock's path");
    }
}

// `--label=` has an empty value, so the next word is the path.
TEST(path, is_not_the_value_of_an_option_before_it) {
    EXPECT_EQ(complaint({{"run", "--label="}, {"/a", "--", "true"}}, "/a"),
              "turnstile: path \"/a\" is given twice, so the run would wait for itself");
    EXPECT_EQ(complaint({{"ask", "--credentials-file="}, {}}, "nopath"),
              "turnstile: path \"nopath\": must start with \"/\"");
}

TEST(path, stands_there_once) {
    EXPECT_EQ(complaint({{"run", "/a", "/b"}, {"--", "true"}}, "/a"),
              "turnstile: path \"/a\" is given twice, so the run would wait for itself");
}

}  // namespace
}  // namespace turnstile::cli
