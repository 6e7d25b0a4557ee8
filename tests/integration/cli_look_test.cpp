// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile ls` and `turnstile show` on a real server.
#include <sys/stat.h>

#include <algorithm>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

class cli_look : public cli {
protected:
    static words look(words command) { return words{TURNSTILE_PROGRAM} + std::move(command); }
    // Runs a command that must exit with 0. Returns its output.
    std::string printed_by(const words& command) const {
        std::filesystem::remove(log());
        EXPECT_EQ(code_of(command), 0) << output();
        return output();
    }
    static bool contains(const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    }
    const std::string deep = path + "/deep/er";
};

TEST_F(cli_look, locks_of_every_kind_below_a_folder) {
    mutex first{*observer, path + "/mutex"};
    shared_mutex second{*observer, deep};
    semaphore third{*observer, path + "/semaphore", 4};
    const auto held = first.acquire({.timeout = limit(), .label = "the label"}).value();
    const auto two = second.acquire_shared({.timeout = limit()}).value();
    const auto three = third.acquire(3, {.timeout = limit()}).value();
    const auto text = printed_by(look({"ls", path}));
    EXPECT_TRUE(contains(text, "LOCK ")) << text;
    EXPECT_TRUE(contains(text, deep + " ")) << text;
    EXPECT_TRUE(contains(text, " shared_mutex ")) << text;
    EXPECT_TRUE(contains(text, " semaphore of 4 ")) << text;
    EXPECT_TRUE(contains(text, ", the label ")) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
    const auto further_down = printed_by(look({"ls", path + "/deep"}));
    EXPECT_EQ(std::count(further_down.begin(), further_down.end(), '\n'), 2) << further_down;
    EXPECT_TRUE(contains(printed_by(look({"ls"})), deep));
}

TEST_F(cli_look, nothing_is_there) {
    EXPECT_EQ(printed_by(look({"ls", path})), "no lock is held or waited for below " + path + "\n");
    // Answers go to stdout and errors to stderr, so stderr must be empty.
    for (const std::string command : {" ls ", " show "})
        EXPECT_EQ(printed_by({"sh", "-c", TURNSTILE_PROGRAM + command + path + " >/dev/null"}), "");
    EXPECT_EQ(printed_by(look({"ls", "-o", "json", path})), "{\"locks\":[],\"unreadable\":[]}\n");
    EXPECT_EQ(printed_by(look({"show", path})), path + ": free; no contender is there\n");
    EXPECT_EQ(printed_by(look({"show", "-o", "json", path})), "{\"locks\":[],\"unreadable\":[]}\n");
}

TEST_F(cli_look, a_queue) {
    mutex lock{*observer, path};
    const auto hold = lock.acquire({.timeout = limit(), .label = "a\x1b[2Jb"}).value();
    testing::event queued;
    for (int i = 0; i != 3; ++i)
        lock.async_acquire({.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    ASSERT_TRUE(queued.wait(3));
    const auto text = printed_by(look({"show", path}));
    EXPECT_TRUE(contains(text, path + "  mutex, 4 contenders\n")) << text;
    EXPECT_TRUE(contains(text, "\nholds ")) << text;
    EXPECT_TRUE(contains(text, "a\\x1b[2Jb")) << text;
    EXPECT_TRUE(contains(text, hold.fencing_token().to_string() + "\n")) << text;
    EXPECT_TRUE(contains(text, "\n3rd ")) << text;
    EXPECT_TRUE(contains(printed_by(look({"show", "--limit", "2", path})), "... and 2 more\n"));
    const auto znode = hold.znode().substr(path.size() + 1);
    EXPECT_TRUE(contains(printed_by(look({"show", "-o", "wide", path})), znode));
    EXPECT_TRUE(contains(printed_by(look({"show", "-o", "json", path})), "\"znode\":\"" + znode));
    observer->close();
}

// This machine's clock is wrong, so ages must be computed with the servers' clock.
TEST_F(cli_look, on_a_machine_whose_clock_is_hours_ahead) {
    mutex lock{*observer, path + "/in"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    for (const char* const command : {"ls", "show"}) {
        std::filesystem::remove(log());
        auto shown = start({TURNSTILE_PROGRAM, command, path + "/in"},
                           {std::string{"LD_PRELOAD="} + TURNSTILE_WRONG_CLOCK});
        ASSERT_TRUE(shown.wait());
        EXPECT_EQ(shown.exit_code(), 0);
        EXPECT_TRUE(printed(" s ") || printed(" min ")) << output();
        EXPECT_FALSE(printed(" h ")) << output();
    }
}

// The servers count all children that a folder ever had. The count shows that `ls` and `show` create none.
TEST_F(cli_look, writes_nothing) {
    mutex lock{*observer, path + "/in"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto next_number = [&] {
        const auto created =
            hold.commit(transaction{}.create(path + "/n-", "", node_kind::persistent_sequential));
        return std::stol(created.value().created.front().substr(path.size() + 3));
    };
    const auto before = next_number();
    for (const words& each : {words{"ls", path}, words{"show", path + "/in"},
                              words{"ask", "--reason", "test", path + "/in"}})
        EXPECT_EQ(code_of(look(each)), 0) << output();
    auto view = start(look({"watch", "--interval", "100ms", path}));
    EXPECT_TRUE(view.wait_for_output("LOCK ")) << output();
    view.terminate();
    EXPECT_TRUE(view.wait());
    EXPECT_EQ(next_number(), before + 1);
}

TEST_F(cli_look, makes_folders_and_says_why_it_cannot) {
    EXPECT_EQ(printed_by(look({"mkdir", deep})), "");
    EXPECT_EQ(printed_by(look({"mkdir", deep})), "");
    EXPECT_FALSE(read_node(*observer, deep).value().ephemeral);
    const auto secret = file("secret");
    std::ofstream{secret} << "shop:secret\n";
    ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
    const auto closed = path + "/closed";
    EXPECT_EQ(code_of(look({"mkdir", "--credentials-file", secret, closed})), 0) << output();
    EXPECT_EQ(code_of(look({"mkdir", closed + "/in"})), 77);
    EXPECT_TRUE(printed("to create the parents of " + closed + "/in")) << output();
    const auto below = server().connect_string() + closed + "/in";
    EXPECT_EQ(code_of(look({"mkdir", "--servers", below, "/"})), 77);
    EXPECT_TRUE(printed("create_chroot: to create the parents of " + closed + "/in")) << output();
    EXPECT_EQ(code_of(look({"mkdir", "--servers", below, "--credentials-file", secret, "/"})), 0)
        << output();
}

TEST_F(cli_look, a_folder_that_may_not_be_read) {
    const auto secret = file("secret");
    std::ofstream{secret} << "shop:secret\n";
    ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
    const auto holder = run({"--credentials-file", secret, path}, look({"ls", path}));
    EXPECT_EQ(code_of(holder), 0) << output();
    EXPECT_TRUE(printed("turnstile: " + path + ": no permission to read it")) << output();
    EXPECT_EQ(code_of(run({"--credentials-file", secret, path}, look({"show", path}))), 77);
}

TEST_F(cli_look, a_live_view_of_a_folder_and_of_a_lock) {
    auto folder_view = start(look({"watch", "--interval", "100ms", path + "/in"}));
    ASSERT_TRUE(folder_view.wait_for_output("no lock is held or waited for below " + path))
        << output();
    mutex lock{*observer, path + "/in/a"};
    auto hold = lock.acquire({.timeout = limit(), .label = "first one"}).value();
    ASSERT_TRUE(folder_view.wait_for_output(", first one ")) << output();
    auto lock_view = start(look({"watch", "--interval", "100ms", path + "/in/a"}));
    ASSERT_TRUE(lock_view.wait_for_output("mutex, 1 contender\n")) << output();
    testing::event queued;
    lock.async_acquire({.on_queued = [&](std::size_t) { queued.set(); }}, [](auto) {});
    ASSERT_TRUE(queued.wait());
    EXPECT_TRUE(lock_view.wait_for_output("mutex, 2 contenders\n")) << output();
    observer->close();
}

TEST_F(cli_look, a_live_view_on_a_terminal_stays_in_its_window) {
    auto view = start({"sh", "-c",
                       std::string{"script -qec \"stty rows 5 cols 30; exec "} + TURNSTILE_PROGRAM +
                           " watch --interval 100ms " + path + "\" /dev/null"});
    ASSERT_TRUE(view.wait_for_output("\x1b[H")) << output();
    EXPECT_TRUE(view.wait_for_output("no lock is held or waited for \x1b[K")) << output();
}

TEST_F(cli_look, wrong_words_and_full_disks) {
    EXPECT_EQ(code_of(look({"watch", "--interval", "1ms"})), 64);
    EXPECT_EQ(code_of(look({"watch", "no/slash"})), 64);
    EXPECT_EQ(code_of(look({"show"})), 64);
    EXPECT_EQ(code_of(look({"ls", "no/slash"})), 64);
    EXPECT_EQ(code_of(look({"ls", "-o", "xml"})), 64);
    EXPECT_EQ(code_of(look({"ls", "--connect-timeout", "200ms", "--servers", "127.0.0.1:1"})), 69);
    const std::string program = TURNSTILE_PROGRAM;
    EXPECT_EQ(code_of({"sh", "-c", program + " show -o json " + path + " > /dev/full"}), 74);
    EXPECT_EQ(code_of({"sh", "-c", program + " watch > /dev/full"}), 74);
    mutex lock{*observer, path};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    for (const std::string command : {" ls ", " ls -o json ", " show ", " show -o wide "})
        for (const char* nowhere : {" > /dev/full", " >&-"})
            EXPECT_EQ(code_of({"sh", "-c", program + command + path + nowhere}), 74)
                << command << nowhere;
}

// The commands print no colours, even on a terminal, so they have no option that turns colours off.
TEST_F(cli_look, no_colours) {
    mutex lock{*observer, path};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    for (const char* command : {"ls ", "show ", "doctor "}) {
        auto shown = start(
            {"script", "-qec", std::string{TURNSTILE_PROGRAM} + " " + command + path, "/dev/null"},
            {"SHELL=/bin/sh", "TERM=xterm-256color"});
        ASSERT_TRUE(shown.wait());
        EXPECT_TRUE(printed(path)) << output();
        EXPECT_FALSE(printed("\x1b[")) << output();
    }
}

}  // namespace
}  // namespace turnstile::tests
