// SPDX-License-Identifier: Apache-2.0
// Runs the generated completion scripts in their shells. Skips a shell that is not installed.
#include "cli/completion.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/commands.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::cli {
namespace {

class completion : public ::testing::Test {
protected:
    completion() { add_commands(program, line); }

    // Runs the script in a shell with the command line `shell`. Returns its output.
    [[nodiscard]] std::string said(const std::string& shell, const std::string& script) const {
        const auto file = (folder.path() / "script").string();
        std::ofstream{file} << script;
        const auto run = "HOME=" + folder.path().string() + " " + shell + " " + file + " 2>&1";
        auto* const pipe = ::popen(run.c_str(), "r");
        std::string text;
        std::array<char, 4096> part{};
        while (const auto size = std::fread(part.data(), 1, part.size(), pipe))
            text.append(part.data(), size);
        EXPECT_EQ(::pclose(pipe), 0) << text;
        return text;
    }
    static bool is_there(const std::string& shell) {
        return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
    }
    // Returns bash's suggestions for the last word of `words`.
    [[nodiscard]] std::string in_bash(const std::string& words) const {
        return said("bash --norc --noprofile",
                    bash_completion(suggested_commands(program)) + "COMP_WORDS=(turnstile " +
                        words +
                        ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_turnstile\n"
                        "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    }
    [[nodiscard]] std::string in_fish(const std::string& words) const {
        return said("fish --no-config", fish_completion(suggested_commands(program)) +
                                            "complete -C 'turnstile " + words + "'\n");
    }

    const testing::temporary_folder folder;
    CLI::App program;
    command_line line;
};

TEST_F(completion, in_bash) {
    if (!is_there("bash")) GTEST_SKIP() << "no bash";
    EXPECT_EQ(in_bash("ru"), "run\n");
    EXPECT_EQ(in_bash("completio"), "completion\n");
    EXPECT_EQ(in_bash("run --gra"), "--grace\n");
    EXPECT_EQ(in_bash("run --on-lost ''"), "term\nkill\nnone\n");
    for (const std::string command : {"ls", "ask", "take", "elect"})
        EXPECT_EQ(in_bash(command + " -o j"), "json\n") << command;
    EXPECT_EQ(in_bash("dev --count ''").size(), 4U);
    EXPECT_EQ(in_bash("ls --gra"), "\n") << "another command's option";
    EXPECT_NE(in_bash("run /locks/a -- bas").find("bash\n"), std::string::npos);
    EXPECT_EQ(in_bash("run /locks/a -- true --gra"), "\n") << "the other command's own";
}

TEST_F(completion, in_fish) {
    if (!is_there("fish")) GTEST_SKIP() << "no fish";
    EXPECT_EQ(in_fish("doct").substr(0, 7), "doctor\t");
    EXPECT_EQ(in_fish("run --gra").substr(0, 8), "--grace\t");
    EXPECT_EQ(in_fish("run --on-lost k").substr(0, 4), "kill");
    EXPECT_EQ(in_fish("ls --gra"), "");
}

TEST_F(completion, in_zsh) {
    if (!is_there("zsh")) GTEST_SKIP() << "no zsh";
    const auto script = zsh_completion(suggested_commands(program));
    EXPECT_EQ(said("zsh -f",
                   "autoload -Uz compinit\ncompinit -D\n" + script + "print $_comps[turnstile]\n"),
              "_turnstile\n");
    // zsh's _arguments and _describe read lists of this form.
    EXPECT_EQ(said("zsh -f", "compdef() { }\n" + script +
                                 "_describe() { print ${commands[(r)run:*]%%:*} }\n"
                                 "CURRENT=2 words=(turnstile ru)\n_turnstile\n"),
              "run\n");
    EXPECT_NE(said("zsh -f", "compdef() { }\n" + script +
                                 "_arguments() { print -l -- $@ }\nCURRENT=3\n"
                                 "words=(turnstile ls --)\n_turnstile\n")
                  .find("\n--output[text or json (text)]:value:(text json)\n"),
              std::string::npos);
}

}  // namespace
}  // namespace turnstile::cli
