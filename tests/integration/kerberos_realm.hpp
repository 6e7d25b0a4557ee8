// SPDX-License-Identifier: Apache-2.0
// A Kerberos realm for a test program. Starts MIT's KDC at a loopback port, creates the principals zookeeper/localhost
// and lock, and sets the environment for this process. Needs Debian's packages krb5-kdc and krb5-user.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tls/sasl.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

class kerberos_realm {
public:
    // Returns the missing programs or plugin; empty if there are none.
    [[nodiscard]] static std::string what_is_missing() {
        for (const char* const program :
             {"/usr/sbin/krb5kdc", "/usr/sbin/kdb5_util", "/usr/sbin/kadmin.local",
              "/usr/bin/kinit", "/usr/bin/kdestroy"})
            if (!std::filesystem::exists(program))
                return std::string{program} + " (krb5-kdc, krb5-admin-server, krb5-user)";
        auto exchange = tls::make_sasl_exchange({.mechanism = sasl_mechanism::gssapi}, "localhost");
        if (!exchange.value) return exchange.fault;
        static_cast<void>(exchange.value->answer({}));
        const auto why = exchange.value->reason();
        return why.find("has no SASL mechanism") == std::string::npos ? "" : why;
    }

    kerberos_realm() {
        write_configuration();
        ::setenv("KRB5_CONFIG", file("krb5.conf").c_str(), 1);
        ::setenv("KRB5_KDC_PROFILE", file("kdc.conf").c_str(), 1);
        ::setenv("KRB5CCNAME", ("FILE:" + file("tickets")).c_str(), 1);
        run({"/usr/sbin/kdb5_util", "create", "-s", "-P", "master", "-r", "TEST"});
        for (const char* const principal : {"zookeeper/localhost", "lock"}) {
            run({"/usr/sbin/kadmin.local", "-r", "TEST", "addprinc", "-randkey", principal});
            run({"/usr/sbin/kadmin.local", "-r", "TEST", "ktadd", "-k", keytab(principal),
                 principal});
        }
        kdc_.emplace(testing::process_options{.command = {"/usr/sbin/krb5kdc", "-n"},
                                              .output = file("log")});
        if (!kdc_->wait_for_output("commencing operation"))
            throw std::runtime_error{"the KDC does not start: " + kdc_->output()};
        get_ticket();
    }

    void get_ticket() const { run({"/usr/bin/kinit", "-k", "-t", keytab("lock"), "lock@TEST"}); }
    void destroy_tickets() const { run({"/usr/bin/kdestroy"}); }
    // Names of files that a Java server needs.
    [[nodiscard]] std::string configuration() const { return file("krb5.conf"); }
    [[nodiscard]] std::string keytab(const std::string& principal) const {
        return file(principal.substr(0, principal.find('/')) + ".keytab");
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder_.path() / name).string();
    }

private:
    void write_configuration() const {
        const auto at = "127.0.0.1:" + std::to_string(port_.number());
        std::ofstream{file("krb5.conf")} << "[libdefaults]\n"
                                            " default_realm = TEST\n"
                                            " dns_lookup_kdc = false\n"
                                            " dns_canonicalize_hostname = false\n"
                                            " rdns = false\n"
                                            " udp_preference_limit = 1\n"
                                            "[realms]\n"
                                            " TEST = {\n"
                                            "  kdc = "
                                         << at << "\n }\n";
        std::ofstream{file("kdc.conf")}
            << "[kdcdefaults]\n kdc_listen = " << at << "\n kdc_tcp_listen = " << at
            << "\n[realms]\n TEST = {\n"
               "  database_name = "
            << file("database") << "\n  key_stash_file = " << file("stash")
            << "\n }\n[logging]\n kdc = STDERR\n";
    }
    void run(const std::vector<std::string>& command) const {
        testing::process each{{.command = command, .output = file("log")}};
        if (!each.wait() || each.exit_code() != 0)
            throw std::runtime_error{command.front() + ": " + each.output()};
    }

    const testing::temporary_folder folder_;
    const testing::loopback_port port_;
    std::optional<testing::process> kdc_;
};

}  // namespace turnstile::tests
