// SPDX-License-Identifier: Apache-2.0
// Tests locks on a ZooKeeper server that requires SASL with Kerberos (GSSAPI). The test runs a KDC.
#include <gmock/gmock.h>

#include <fstream>
#include <optional>
#include <string>

#include "acl_reader.hpp"
#include "client/log_lines.hpp"
#include "kerberos_realm.hpp"
#include "killed_holder.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

struct kerberos_server {
    kerberos_realm realm{};
    ensemble servers{options()};

    [[nodiscard]] testing::ensemble_options options() const {
        const auto login = realm.file("jaas");
        std::ofstream{login} << "Server {\n"
                                " com.sun.security.auth.module.Krb5LoginModule required\n"
                                " useKeyTab=true storeKey=true useTicketCache=false keyTab=\""
                             << realm.keytab("zookeeper")
                             << "\"\n principal=\"zookeeper/localhost@TEST\";\n};\n";
        return {
            .max_session_timeout = 600s,
            .system_properties = {{"java.security.krb5.conf", realm.configuration()},
                                  {"java.security.auth.login.config", login},
                                  {"zookeeper.authProvider.1",
                                   "org.apache.zookeeper.server.auth.SASLAuthenticationProvider"},
                                  {"zookeeper.sessionRequireClientSASLAuth", "true"}}};
    }
};

class zookeeper_kerberos : public ::testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = kerberos_realm::what_is_missing(); !missing.empty())
            GTEST_SKIP() << "without " << missing;
        if (!shared) shared.emplace();
    }
    static std::string at(const std::string& address) {
        return "zookeeper://" + address + "?sasl_mechanism=GSSAPI&sasl_server_name=localhost";
    }
    static std::string where() { return at(shared->servers.connect_string()); }
    static kerberos_realm& realm() { return shared->realm; }

    static std::optional<kerberos_server> shared;
};

std::optional<kerberos_server> zookeeper_kerberos::shared;

TEST_F(zookeeper_kerberos, carries_locks_as_the_principal) {
    auto options = quick_options();
    options.acl = access_policy::creator_only;
    options.sasl = {.mechanism = sasl_mechanism::gssapi, .server_name = "localhost"};
    const auto path = lock_path();
    const auto holder = connect(shared->servers.connect_string(), options);
    auto hold = mutex{*holder, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto other = connect(where());
    EXPECT_FALSE(mutex(*other, path).try_acquire().has_value());
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(mutex(*other, path).acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(acl_of(where(), path), "sasl:lock@TEST ");
}

TEST_F(zookeeper_kerberos, a_server_of_another_name_is_refused) {
    client refused{"zookeeper://" + shared->servers.connect_string() +
                       "?sasl_mechanism=GSSAPI&sasl_server_name=elsewhere",
                   quick_options()};
    const auto connected = refused.wait_connected(3s);
    ASSERT_FALSE(connected);
    EXPECT_THAT(connected.error().message(), HasSubstr("SASL GSSAPI: the SASL exchange failed"));
    EXPECT_THAT(connected.error().message(), HasSubstr("zookeeper/elsewhere@TEST"));
}

// Each connection uses the newest ticket.
TEST_F(zookeeper_kerberos, a_session_attaches_again_with_a_new_ticket) {
    tcp_proxy proxy{shared->servers.connect_string()};
    const auto holder = connect(at(proxy.address()), quick_options(60s));
    auto hold = mutex{*holder, lock_path()}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto session = holder->session().id;
    realm().destroy_tickets();
    set_log_level(log_level::info);
    log_lines log;
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return log.with("SASL GSSAPI: ") > 0; }));
    set_log_level(log_level::warning);
    EXPECT_NE(holder->session().state, session_state::connected);
    realm().get_ticket();
    ASSERT_TRUE(eventually([&] { return holder->session().state == session_state::connected; }));
    EXPECT_EQ(holder->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
}

TEST_F(zookeeper_kerberos, a_guardian_ends_the_session_of_a_killed_process) {
    expect_that_a_guardian_frees_the_lock(where());
}

}  // namespace
}  // namespace turnstile::tests
