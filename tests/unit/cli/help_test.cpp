// SPDX-License-Identifier: Apache-2.0
// Compares the pages of --help, which are written by hand, with the options of the commands.
#include "cli/help.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/exit_code.hpp"
#include "cli/help_page.hpp"

namespace turnstile::cli {
namespace {

// Checks that the page contains each option of the command.
void expect_complete(const CLI::App& command, const std::string& page) {
    for (const auto* option : command.get_options()) {
        if (option->check_name("--help")) continue;
        for (const auto& name : option->get_lnames())
            EXPECT_NE(page.find("--" + name), std::string::npos) << name;
        for (const auto& name : option->get_snames())
            EXPECT_NE(page.find("  -" + name + ", "), std::string::npos) << name;
    }
}

void expect_narrow(const std::string& page) {
    std::istringstream lines{page};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

class help : public ::testing::Test {
protected:
    help() { add_commands(program, line); }
    void expect_good(const std::string& command, const std::string& text) {
        expect_complete(*program.get_subcommand(command), text);
        expect_narrow(text);
    }

    CLI::App program;
    command_line line;
};

TEST_F(help, of_each_command) {
    expect_good("run", run_help());
    expect_good("elect", elect_help());
    expect_good("ls", ls_help());
    expect_good("show", show_help());
    expect_good("watch", watch_help());
    expect_good("ask", ask_help());
    expect_good("take", take_help());
    expect_good("mkdir", mkdir_help());
    expect_good("sessions", sessions_help());
    expect_good("doctor", doctor_help());
    expect_good("bench", bench_help());
    expect_good("serve", serve_help());
    expect_good("dev", dev_help());
    expect_good("completion", completion_help());
    expect_good("manual", manual_help());
    EXPECT_NE(run_help().find(exit_code_table()), std::string::npos);
}

TEST_F(help, names_every_command) {
    expect_narrow(program_help());
    for (const auto* command : program.get_subcommands({})) {
        EXPECT_NE(program_help().find("\n  " + command->get_name() + "  "), std::string::npos)
            << command->get_name();
    }
}

// Checks that each command's manual page has every option, and that the build installs the page.
TEST_F(help, manual_pages) {
    std::ifstream file{std::string{TURNSTILE_SOURCE_DIR} + "/src/cli/CMakeLists.txt"};
    std::string installed{std::istreambuf_iterator<char>{file}, {}};
    for (const auto& command : suggested_commands(program)) {
        auto page = manual_page("turnstile-" + command.name, command.text,
                                parse_help(program.get_subcommand(command.name)->help()));
        EXPECT_FALSE(command.text.empty()) << command.name;
        std::erase(page, '\\');
        EXPECT_NE(page.find("\n.SH OPTIONS\n"), std::string::npos) << page;
        for (const auto& option : command.options) {
            EXPECT_TRUE(option.names.front() == "--help" || !option.text.empty())
                << command.name << " " << option.names.front();
            for (const auto& name : option.names)
                EXPECT_TRUE(name == "--help" || name == "-h" ||
                            page.find(name) != std::string::npos)
                    << command.name << " " << name;
        }
        EXPECT_NE(installed.find(" " + command.name), std::string::npos) << command.name;
    }
}

// Returns what the program writes to stderr for this wrong command line.
std::string complaint_about(const std::vector<std::string>& words) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_command_line(words), k_usage);
    return ::testing::internal::GetCapturedStderr();
}

TEST(wrong_words, are_named) {
    EXPECT_EQ(complaint_about({"list", "/a"}),
              "turnstile: there is no command 'list' (did you mean ls?); see: turnstile --help\n");
    EXPECT_EQ(complaint_about({"quux"}),
              "turnstile: there is no command 'quux'; see: turnstile --help\n");
    EXPECT_EQ(complaint_about({}), "turnstile: a command is required; see: turnstile --help\n");
    EXPECT_EQ(complaint_about({"run"}), "turnstile: PATH is required; see: turnstile run --help\n");
    for (const char* command : {"run", "elect"})
        EXPECT_EQ(complaint_about({command, "/a", "--no-such", "--", "true"}),
                  "turnstile: there is no option '--no-such'; see: turnstile " +
                      std::string{command} + " --help\n");
}

TEST(wrong_words, get_a_suggestion) {
    const auto expect = [](const std::vector<std::string>& words, const std::string& sentence) {
        const auto said = complaint_about(words);
        EXPECT_EQ(said.substr(0, said.find("; see")), "turnstile: " + sentence);
    };
    expect({"rnu", "/a"}, "there is no command 'rnu' (did you mean run?)");
    expect({"sesions"}, "there is no command 'sesions' (did you mean sessions?)");
    expect({"version"}, "there is no command 'version' (did you mean --version?)");
    expect({"-v"}, "there is no option '-v' in front of a command (did you mean --version?)");
    expect({"help", "rnu"}, "there is no command 'rnu' (did you mean run?)");
    expect({"run", "/a", "--timeout=5s", "--", "true"},
           "there is no option '--timeout' (did you mean --wait?)");
    expect({"ls", "--timeout", "5s"},
           "there is no option '--timeout' (did you mean --connect-timeout?)");
    expect({"serve", "--password", "x"},
           "there is no option '--password' (did you mean --password-file?)");
    expect({"run", "/a", "--wait"}, "--wait: a value is missing");
    expect({"ls", "--servers"}, "--servers: a value is missing");
    // Here "a:1" is the value of a misspelled option, and no wrong path.
    expect({"ls", "--server", "a:1", "/a"},
           "there is no option '--server' (did you mean --servers?)");
    expect({"run", "--server", "a:1", "/a", "--", "true"},
           "there is no option '--server' (did you mean --servers?)");
}

TEST(wrong_words, of_a_command_without_dashes) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "/a", "true"},
                                                  {"run", "/a", "pg_dump", "--schema", "x"},
                                                  {"run", "/a", "/b"},
                                                  {"elect", "/a", "true"},
                                                  {"elect", "/a"},
                                                  {"dev", "bash"}}) {
        const auto said = complaint_about(words);
        EXPECT_TRUE(said.starts_with("turnstile: no command: give it after --, as in turnstile " +
                                     words.front() + " "))
            << said;
    }
}

TEST(help_word, is_the_option) {
    const auto printed = [](const std::vector<std::string>& words) {
        ::testing::internal::CaptureStdout();
        EXPECT_EQ(run_command_line(words), k_success);
        return ::testing::internal::GetCapturedStdout();
    };
    EXPECT_EQ(printed({"help"}), program_help());
    EXPECT_EQ(printed({"help", "run"}), run_help());
}

// `turnstile` refuses a password on the command line, which any user of the machine can read. The message must not
// contain the password, because standard error often goes to a log.
TEST(wrong_words, a_password_among_them) {
    const auto said = complaint_about({"ls", "--servers", "redis://locks:secret@127.0.0.1:1"});
    EXPECT_TRUE(said.starts_with("turnstile: --servers has a password in it, ")) << said;
    EXPECT_EQ(said.find("secret"), std::string::npos) << said;
}

TEST(help_page, is_taken_apart) {
    const auto page = parse_help(
        "What it does.\n\nUsage: x [OPTION]... A\n       x B\n\n  A    the first\n  -o, --open"
        " FORM\n       text or\n       json\n\nServers:\n  --opens N  how many\n\nSo it is.\n\n"
        "Examples:\n  x a  b\n");
    EXPECT_EQ(page.summary, std::vector<std::string>{"What it does."});
    EXPECT_EQ(page.usage, (std::vector<std::string>{"x [OPTION]... A", "x B"}));
    ASSERT_EQ(page.blocks.size(), 4U);
    EXPECT_EQ(text_of_option(page, "--open"), "text or json");
    EXPECT_EQ(text_of_option(page, "-o"), "text or json");
    EXPECT_EQ(text_of_option(page, "--opens"), "how many");
    EXPECT_EQ(page.blocks[3].shape, help_block::form::verbatim);
    const auto manual = manual_page("x", "does -it", page);
    EXPECT_NE(manual.find("\nx \\- does \\-it\n"), std::string::npos) << manual;
    EXPECT_NE(manual.find(".TP\n\\fB\\-o, \\-\\-open FORM\\fR\ntext or json\n"), std::string::npos)
        << manual;
}

}  // namespace
}  // namespace turnstile::cli
