// SPDX-License-Identifier: Apache-2.0
// Tests locks on ZooKeeper servers that require SASL (DIGEST-MD5), with and without TLS.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <future>
#include <string>
#include <system_error>

#include "acl_reader.hpp"
#include "client/log_lines.hpp"
#include "killed_holder.hpp"
#include "secured_servers.hpp"
#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path& folder() {
    static const testing::temporary_folder shared;
    return shared.path();
}

// Writes a file that only its owner can open. Returns its path.
std::string private_file(const std::string& name, const std::string& text) {
    const auto file = (folder() / name).string();
    const auto fresh = file + ".new";
    std::ofstream{fresh} << text << "\n";
    ::chmod(fresh.c_str(), S_IRUSR | S_IWUSR);
    std::filesystem::rename(fresh, file);
    return file;
}

// Options for servers that accept only the users `lock` and `other`.
testing::ensemble_options demanding_a_user() {
    const auto users = private_file("users",
                                    "Server {\n"
                                    " org.apache.zookeeper.server.auth.DigestLoginModule required\n"
                                    " user_lock=\"sesame\" user_other=\"open\";\n"
                                    "};");
    return {.max_session_timeout = 600s,
            .system_properties = {{"java.security.auth.login.config", users},
                                  {"zookeeper.authProvider.1",
                                   "org.apache.zookeeper.server.auth.SASLAuthenticationProvider"},
                                  {"zookeeper.sessionRequireClientSASLAuth", "true"},
                                  // ZooKeeper 3.9.6 offers DIGEST-MD5 only with this setting.
                                  {"zookeeper.fips-mode", "false"}}};
}

ensemble& demanding_server() {
    static ensemble shared{demanding_a_user()};
    return shared;
}

std::string user_options(const std::string& user, const std::string& password) {
    return "sasl_user=" + user + "&sasl_password_file=" + private_file(user, password);
}

std::string as_user(const std::string& address, const std::string& user = "lock",
                    const std::string& password = "sesame") {
    return "zookeeper://" + address + "?" + user_options(user, password);
}

std::string refusal_of(const std::string& where, const client_options& options = quick_options()) {
    try {
        client refused{where, options};
        const auto connected = refused.wait_connected(3s);
        return connected ? "connected" : connected.error().message();
    } catch (const std::system_error& failure) {
        return failure.what();
    }
}

TEST(zookeeper_sasl, carries_locks) {
    const auto where = as_user(demanding_server().connect_string());
    const auto path = lock_path();
    const auto first = connect(where);
    const auto second = connect(where);
    auto hold = mutex{*first, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    mutex wanted{*second, path};
    auto waiting =
        std::async(std::launch::async, [&] { return wanted.acquire({.timeout = limit()}); });
    ASSERT_TRUE(eventually([&] { return queue_names(*first, path).size() == 2; }));
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(waiting.get().has_value());
}

TEST(zookeeper_sasl, a_wrong_password_is_refused) {
    EXPECT_THAT(refusal_of(as_user(demanding_server().connect_string(), "lock", "wrong")),
                HasSubstr("SASL user \"lock\": the server refuses the user or the password "
                          "(sasl_password_file)"));
    EXPECT_THAT(refusal_of(as_user(demanding_server().connect_string(), "nobody", "wrong")),
                HasSubstr("SASL user \"nobody\": the server refuses the user or the password"));
}

// Cyrus SASL refuses the repeated challenge but sets no error text. The client must not report a text that Cyrus SASL
// set at the first challenge.
TEST(zookeeper_sasl, a_server_that_repeats_its_challenge_is_named_as_the_reason) {
    constexpr auto k_challenge =
        R"(realm="zk-sasl-md5",nonce="abcdefghijklmnop",qop="auth",charset=utf-8,algorithm=md5-sess)";
    const auto exchange =
        tls::make_sasl_exchange({.user = "lock", .password = "sesame"}, "localhost");
    ASSERT_TRUE(exchange.value) << exchange.fault;
    ASSERT_TRUE(exchange.value->answer({}));
    ASSERT_TRUE(exchange.value->answer(k_challenge)) << exchange.value->reason();
    EXPECT_FALSE(exchange.value->answer(k_challenge));
    EXPECT_THAT(exchange.value->reason(), HasSubstr("the server's token is not the expected one"));
}

TEST(zookeeper_sasl, servers_that_require_it_say_so) {
    EXPECT_THAT(refusal_of(demanding_server().connect_string()),
                HasSubstr("the server requires SASL: set client_options::sasl, or sasl_user and"));
}

TEST(zookeeper_sasl, a_server_without_it_is_refused) {
    EXPECT_THAT(refusal_of(as_user(server().connect_string())),
                HasSubstr("SASL user \"lock\": the server has no DIGEST-MD5"));
}

TEST(zookeeper_sasl, a_file_that_cannot_be_used_is_refused) {
    const auto at = "zookeeper://" + demanding_server().connect_string();
    EXPECT_THAT(refusal_of(at + "?sasl_user=lock&sasl_password_file=/nowhere/password"),
                HasSubstr("sasl_password_file=/nowhere/password: No such file"));
    const auto open = private_file("open", "sesame");
    ::chmod(open.c_str(), S_IRUSR | S_IWUSR | S_IROTH);
    EXPECT_THAT(refusal_of(at + "?sasl_user=lock&sasl_password_file=" + open),
                HasSubstr("other users can open it"));
    EXPECT_THAT(refusal_of(at + "?sasl_user=lock&sasl_password_file=" + folder().string()),
                HasSubstr("is no regular file"));
}

TEST(zookeeper_sasl, the_options_of_the_client_have_a_user_too) {
    auto options = quick_options();
    const auto at = demanding_server().connect_string();
    options.sasl = {.user = "lock", .password = "sesame"};
    const auto holder = connect(at, options);
    EXPECT_TRUE(mutex(*holder, lock_path()).acquire({.timeout = limit()}).has_value());
    options.sasl = {.user = "lock", .password_file = private_file("lock", "sesame")};
    EXPECT_TRUE(connect(at, options)->wait_connected(limit()));
    EXPECT_THAT(
        refusal_of(as_user(at), options),
        HasSubstr("sasl: must not be set, because the connect string has its own options of SASL"));
    EXPECT_THAT(refusal_of("local:", options),
                HasSubstr("sasl: this option is for ZooKeeper servers only"));
    options.sasl.password = "sesame";
    EXPECT_THAT(refusal_of(at, options), HasSubstr("sasl: has a password and a password_file"));
}

// Each connection reads the password from the file again.
TEST(zookeeper_sasl, a_session_attaches_again_with_the_changed_password) {
    tcp_proxy proxy{demanding_server().connect_string()};
    const auto where = as_user(proxy.address());
    const auto holder = connect(where, quick_options(30s));
    auto hold = mutex{*holder, lock_path()}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto session = holder->session().id;
    private_file("lock", "wrong");
    set_log_level(log_level::info);
    log_lines log;
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return log.with("refuses the user or the password") > 0; }));
    set_log_level(log_level::warning);
    EXPECT_NE(holder->session().state, session_state::connected);
    private_file("lock", "sesame");
    ASSERT_TRUE(eventually([&] { return holder->session().state == session_state::connected; }));
    EXPECT_EQ(holder->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
}

TEST(zookeeper_sasl, the_next_session_is_authenticated_after_an_expiry) {
    tcp_proxy proxy{demanding_server().connect_string()};
    const auto holder = connect(as_user(proxy.address()));
    mutex lock{*holder, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto session = holder->session().id;
    proxy.black_hole();
    ASSERT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    const auto observer = connect(as_user(demanding_server().connect_string()));
    ASSERT_TRUE(becomes_empty(*observer, lock_path()));
    proxy.pass();
    hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_NE(holder->session().id, session);
}

// With `creator_only`, the znodes' ACL has the identity sasl:lock.
TEST(zookeeper_sasl, creator_only_keeps_other_users_out) {
    auto options = quick_options();
    options.acl = access_policy::creator_only;
    const auto at = demanding_server().connect_string();
    const auto path = lock_path();
    const auto owner = connect(as_user(at), options);
    auto hold = mutex{*owner, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(acl_of(as_user(at), path), "sasl:lock ");
    ASSERT_TRUE(hold->release(limit()));
    const auto stranger = connect(as_user(at, "other", "open"));
    const auto refused = mutex{*stranger, path}.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("ACL"));
    const auto again = connect(as_user(at));
    EXPECT_TRUE(mutex(*again, path).acquire({.timeout = limit()}).has_value());
}

TEST(zookeeper_sasl, within_tls) {
    auto options = demanding_a_user();
    options.tls = demanding();
    ensemble both{options};
    const auto holder = connect(both.connect_string() + "&" + user_options("lock", "sesame"));
    EXPECT_TRUE(mutex(*holder, lock_path()).acquire({.timeout = limit()}).has_value());
    EXPECT_THAT(refusal_of(both.connect_string()), HasSubstr("the server requires SASL"));
}

// Without a guardian (a process that closes a dead process's sessions), the lock stays taken for ten minutes.
TEST(zookeeper_sasl, a_guardian_ends_the_session_of_a_killed_process) {
    expect_that_a_guardian_frees_the_lock(as_user(demanding_server().connect_string()));
}

#ifdef TURNSTILE_PROGRAM
TEST(zookeeper_sasl, the_command_runs) {
    auto running = testing::process{
        {.command = {TURNSTILE_PROGRAM, "run", lock_path(), "--", "echo", "under the lock"},
         .environment = {"TURNSTILE_SERVERS=" + as_user(demanding_server().connect_string())},
         .output = folder() / "run"}};
    EXPECT_TRUE(running.wait());
    EXPECT_THAT(running.output(), HasSubstr("under the lock"));
}
#endif

}  // namespace
}  // namespace turnstile::tests
