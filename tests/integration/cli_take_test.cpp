// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile ask` and `turnstile take` on a real server: both notify the holder, and only `take` ends the hold.
#include <csignal>

#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace turnstile::tests {
namespace {

class cli_take : public cli {
protected:
    [[nodiscard]] words ask(const words& more = {}) const {
        return words{TURNSTILE_PROGRAM, "ask", path, "--who", "ops", "--reason", "the reason"} +
               more;
    }
    [[nodiscard]] words take(const words& more = {}) const {
        return words{TURNSTILE_PROGRAM, "take",       path,   "--who", "ops",
                     "--reason",        "the reason", "--yes"} +
               more;
    }
    // Creates another client's contender. By default its data name no session, like the data of other libraries'
    // contenders.
    void make_foreign(const std::string& data = "10.0.0.7") {
        mutex tools{*observer, path + "-tools"};
        auto hold = tools.acquire({.timeout = limit()}).value();
        transaction writes;
        if (!read_node(*observer, path)) writes.create(path, "");
        ASSERT_TRUE(hold.commit(writes.create(path + "/" + k_foreign, data)));
    }
    [[nodiscard]] std::string foreign_data() const {
        return read_node(*observer, path + "/" + k_foreign).value().data;
    }
    // Starts `turnstile take`, and interrupts the command when the data of the znode k_foreign contain `mark`. Returns
    // the data of this znode after the interrupt.
    std::string data_after_interrupt(const words& more, const char* mark) {
        auto taker = start(take(more));
        EXPECT_TRUE(eventually([&] { return foreign_data().find(mark) != std::string::npos; }));
        ::kill(taker.pid(), SIGINT);
        EXPECT_TRUE(taker.wait());
        EXPECT_EQ(taker.exit_code(), 128 + SIGINT) << output();
        return foreign_data();
    }
    static constexpr auto k_foreign = "_c_6cd7ac7a-8fdd-4f1c-9f1b-3a0d3a4b9a3f-lock-0000000004";
    mutex lock{*observer, path};
};

TEST_F(cli_take, a_holder_is_asked_and_keeps_its_lock) {
    testing::event asked;
    release_request heard;
    const auto hold =
        lock.acquire({.timeout = limit(), .on_asked_to_release = [&](const auto& request) {
                          heard = request;
                          asked.set();
                      }});
    ASSERT_TRUE(hold);
    EXPECT_EQ(code_of(ask()), 0) << output();
    ASSERT_TRUE(asked.wait());
    EXPECT_EQ(heard.who, "ops");
    EXPECT_EQ(heard.why, "the reason");
    EXPECT_TRUE(hold->valid());
    observer->close();
}

TEST_F(cli_take, a_holder_that_goes_when_it_is_asked) {
    testing::event asked;
    auto hold =
        lock.acquire({.timeout = limit(), .on_asked_to_release = [&](const auto&) { asked.set(); }})
            .value();
    auto taker = start(take({"--ask-for", "1h"}));
    ASSERT_TRUE(asked.wait());
    ASSERT_TRUE(hold.release());
    ASSERT_TRUE(taker.wait());
    EXPECT_EQ(taker.exit_code(), 0);
    EXPECT_TRUE(printed("the contender released the lock or left the queue\n")) << output();
    observer->close();
}

TEST_F(cli_take, a_command_that_does_not_go) {
    auto holder = start(run({path}, stubborn("in")));
    ASSERT_TRUE(holder.wait_for_output("in"));
    EXPECT_EQ(code_of(take({"--ask-for", "0"})), 0) << output();
    ASSERT_TRUE(holder.wait());
    EXPECT_EQ(holder.exit_code(), 76);
    EXPECT_TRUE(printed("ops")) << output();
    EXPECT_TRUE(printed("the reason")) << output();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(cli_take, at_once) {
    const auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_EQ(code_of(take({"--now"})), 0);
    EXPECT_TRUE(printed("the contender's znode was deleted\n")) << output();
    EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
}

TEST_F(cli_take, another_librarys_holder) {
    make_foreign();
    EXPECT_EQ(code_of(take({"--ask-for", "0"})), 64);
    EXPECT_EQ(code_of(take({"--ask-for", "0", "--wait", "100ms"})), 0);
    EXPECT_TRUE(printed("the contender's znode was deleted\n")) << output();
}

TEST_F(cli_take, a_holder_that_claims_an_impossible_session_timeout) {
    for (const auto* claim : {"2147483647", "-1"}) {
        make_foreign(std::string{"host=evil pid=1 timeout="} + claim);
        EXPECT_EQ(code_of(take({"--ask-for", "0"})), 64);
        EXPECT_TRUE(printed("states none): set revoke_options::wait (--wait)")) << output();
        EXPECT_EQ(code_of(take({"--ask-for", "0", "--wait", "100ms"})), 0) << output();
    }
}

// The servers report their longest session timeout, so `take` ignores a longer timeout in a contender's data.
TEST_F(cli_take, a_holder_that_claims_more_than_the_servers_grant) {
    make_foreign("host=odd pid=7 timeout=3600000");
    EXPECT_EQ(code_of(take({"--ask-for", "0"})), 64);
    EXPECT_TRUE(printed("states none): set revoke_options::wait (--wait)")) << output();
    EXPECT_EQ(foreign_data(), "host=odd pid=7 timeout=3600000");
}

TEST_F(cli_take, says_before_how_long_it_may_last) {
    make_foreign("host=web-2 pid=7 timeout=1000");
    auto taker = start(take({"--ask-for", "1h", "--wait", "2h"}));
    EXPECT_TRUE(taker.wait_for_output(
        "turnstile asks the contender to release, orders it to release after 1 h, and "
        "deletes its znode 2 h after the order"));
    taker.kill();
}

TEST_F(cli_take, an_order_that_is_interrupted_leaves_no_mark) {
    const std::string own = "host=web-2 pid=7 timeout=30000";
    make_foreign(own);
    EXPECT_EQ(data_after_interrupt({"--ask-for", "0", "--wait", "1h"}, "revoke=take"), own);
    EXPECT_EQ(data_after_interrupt({"--ask-for", "1h"}, "revoke=ask"), own);
    EXPECT_EQ(data_after_interrupt({"--ask-for", "1ms", "--wait", "1h"}, "revoke=take"), own);
}

TEST_F(cli_take, one_of_several) {
    shared_mutex prices{*observer, path};
    const auto first = prices.acquire_shared({.timeout = limit()}).value();
    const auto second = prices.acquire_shared({.timeout = limit()}).value();
    EXPECT_EQ(code_of(take()), 64);
    EXPECT_TRUE(printed("several contenders hold the lock")) << output();
    const auto name = second.znode().substr(path.size() + 1);
    EXPECT_EQ(code_of(take({"--now", "--znode", name})), 0);
    EXPECT_TRUE(eventually([&] { return !second.valid(); }));
    EXPECT_TRUE(first.valid());
    EXPECT_EQ(code_of(take({"--now", "--znode", name})), 64);
}

TEST_F(cli_take, a_free_lock) {
    EXPECT_EQ(code_of(ask()), 0);
    EXPECT_EQ(code_of(take()), 0);
    EXPECT_EQ(output(),
              path + ": free; no contender holds it\n" + path + ": free; no contender holds it\n");
}

// With JSON, the output is one object.
TEST_F(cli_take, for_programs) {
    const auto said = [this](const words& command) {
        std::filesystem::remove(log());
        EXPECT_EQ(code_of(command), 0) << output();
        return nlohmann::json::parse(output(), nullptr, false);
    };
    const words as_json{"-o", "json"};
    EXPECT_EQ(said(ask(as_json)).at("outcome"), "free");
    EXPECT_EQ(said(take(as_json)).at("outcome"), "free");

    const auto hold = lock.acquire({.timeout = limit(), .label = "import"}).value();
    const auto asked = said(ask(as_json));
    EXPECT_EQ(asked.at("path"), path) << asked;
    EXPECT_EQ(asked.at("outcome"), "asked") << asked;
    EXPECT_EQ(path + "/" + asked.at("znode").get<std::string>(), hold.znode()) << asked;
    EXPECT_EQ(asked.at("contender").at("label"), "import") << asked;
    EXPECT_EQ(asked.at("who"), "ops") << asked;
    EXPECT_EQ(asked.at("why"), "the reason") << asked;
    EXPECT_TRUE(hold.valid());

    const auto taken = said(take(words{"--ask-for", "1ms"} + as_json));
    EXPECT_EQ(taken.at("asked"), true) << taken;
    EXPECT_EQ(taken.at("outcome"), "gave_way") << taken;
    EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
}

TEST_F(cli_take, wrong_words) {
    const std::string program = TURNSTILE_PROGRAM;
    EXPECT_EQ(code_of({program, "take", "--yes", path}), 64);
    EXPECT_EQ(code_of({program, "take", "--reason", "none", path}), 64);
    EXPECT_TRUE(printed("standard input is no terminal, so nobody can confirm: give --yes"))
        << output();
    EXPECT_EQ(code_of({program, "ask"}), 64);
}

TEST_F(cli_take, a_person_is_asked_on_a_terminal) {
    const auto hold = lock.acquire({.timeout = limit(), .label = "import"}).value();
    const auto typed = [&](const std::string& answer) {
        return words{"sh", "-c",
                     "echo " + answer + " | script -qec \"" + TURNSTILE_PROGRAM +
                         " take --now --reason stuck " + path + "\" /dev/null"};
    };
    EXPECT_EQ(code_of(typed("n")), 64);
    EXPECT_TRUE(printed("Take " + path + " away from ")) << output();
    EXPECT_TRUE(printed(", import, in the queue for ")) << output();
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(queue_names(*observer, path).size(), 1U);
    EXPECT_EQ(code_of(typed("y")), 0);
    EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
}

}  // namespace
}  // namespace turnstile::tests
