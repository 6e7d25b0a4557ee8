// SPDX-License-Identifier: Apache-2.0
// Tests locks on ZooKeeper servers that accept only TLS: certificates, their renewal, and the message of each refusal.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <future>
#include <set>
#include <string_view>
#include <system_error>

#include "support/descriptor.hpp"

#include "acl_reader.hpp"
#include "client/log_lines.hpp"
#include "killed_holder.hpp"
#include "secured_servers.hpp"
#include "support.hpp"
#include "turnstile/metrics.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::issued_certificate;
using testing::server_tls;

std::string options_of(const std::string& authority, const issued_certificate& client) {
    return "?ca_file=" + authority + "&cert_file=" + client.certificate + "&key_file=" + client.key;
}

// Returns the connect string without options, such as "zookeepers://127.0.0.1:1,...".
std::string servers_alone() {
    const auto whole = three().connect_string();
    return whole.substr(0, whole.find('?'));
}

// Tries to open a session at `where`. Returns the message of the error that prevents the session, or "connected".
std::string refusal_of(const std::string& where) {
    try {
        client refused{where, quick_options()};
        const auto connected = refused.wait_connected(3s);
        return connected ? "connected" : connected.error().message();
    } catch (const std::system_error& failure) {
        return failure.what();
    }
}

std::set<std::uint16_t> own_listening_ports() {
    constexpr int k_most_descriptors = 1024;
    std::set<std::uint16_t> found;
    for (int each = 0; each != k_most_descriptors; ++each) {
        int listens = 0;
        socklen_t size = sizeof listens;
        sockaddr_in address{};
        socklen_t length = sizeof address;
        if (::getsockopt(each, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
            ::getsockname(each, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
            address.sin_family != AF_INET)
            continue;
        found.insert(ntohs(address.sin_port));
    }
    return found;
}

// Returns the request to attach the session `id`. ZooKeeper computes a session's password from its id, by Java's
// java.util.Random and a public number (ZooKeeperServer.generatePasswd).
std::string attach_of(std::int64_t id) {
    constexpr std::uint64_t k_bits = (std::uint64_t{1} << 48) - 1;
    constexpr std::uint64_t k_factor = 0x5DEECE66D;
    std::string password;
    std::uint64_t state = (static_cast<std::uint64_t>(id) ^ 0xB3415C00 ^ k_factor) & k_bits;
    while (password.size() < 16) {
        state = (state * k_factor + 0xB) & k_bits;
        for (unsigned shift = 16; shift != 48; shift += 8)
            password.push_back(static_cast<char>(state >> shift));
    }
    std::string packet{'\0', '\0', '\0', '\x2d'};
    packet.append(12, '\0');                      // version, newest transaction
    packet.append({'\0', '\0', '\x27', '\x10'});  // timeout
    for (int shift = 56; shift >= 0; shift -= 8) packet.push_back(static_cast<char>(id >> shift));
    return packet + std::string{'\0', '\0', '\0', '\x10'} + password + '\0';
}

// Returns true if the port's owner closes a connection that sends `packet`.
bool is_hung_up_at(std::uint16_t port, const std::string& packet) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return false;
    static_cast<void>(::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL));
    std::array<char, 64> answer{};
    return ::recv(socket, answer.data(), answer.size(), 0) <= 0;
}

bool another_process_is_hung_up_at(std::uint16_t port, const std::string& packet) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(is_hung_up_at(port, packet) ? 0 : 1);
    int status = 1;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(zookeeper_tls, carries_locks_of_three_servers) {
    const auto path = lock_path();
    const auto first = connect(three().connect_string());
    const auto second = connect(three().connect_string());
    mutex held{*first, path};
    mutex wanted{*second, path};
    auto hold = held.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_FALSE(wanted.try_acquire().has_value());
    auto waiting =
        std::async(std::launch::async, [&] { return wanted.acquire({.timeout = limit()}); });
    ASSERT_TRUE(eventually([&] { return queue_names(*first, path).size() == 2; }));
    ASSERT_TRUE(hold->release(limit()));
    auto next = waiting.get();
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GT(next->fencing_token(), hold->fencing_token());
    EXPECT_THAT(first->session().server, HasSubstr("127.0.0.1:"));
}

// The client reaches each server through a local TLS tunnel. The session must report the address of the server, and not
// the address of the tunnel. When that server dies, the session must move to another server and keep its hold.
TEST(zookeeper_tls, a_hold_outlives_its_server) {
    const auto path = lock_path();
    const auto holder = connect(three().connect_string(), quick_options(20s));
    auto hold = mutex{*holder, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto before = holder->session().server;
    std::size_t at = 0;
    while (at != 3 && three().server(at).address() != before) ++at;
    ASSERT_NE(at, 3U) << before;
    three().kill(at);
    EXPECT_TRUE(eventually([&] {
        const auto now = holder->session().server;
        return now != before && holder->session().state == session_state::connected;
    }));
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
    three().start(at);
    three().wait_until_serving();
}

TEST(zookeeper_tls, a_lost_session_is_told) {
    const auto path = lock_path();
    const auto holder = connect(three().connect_string(), quick_options(4s));
    auto hold = mutex{*holder, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    for (std::size_t i = 0; i != 3; ++i) three().pause(i);
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    for (std::size_t i = 0; i != 3; ++i) three().resume(i);
    three().wait_until_serving();
}

TEST(zookeeper_tls, a_session_goes_to_the_leader) {
    auto options = quick_options();
    options.server = server_preference::leader;
    const auto placed = connect(three().connect_string(), options);
    const auto leader = three().leader();
    ASSERT_TRUE(leader);
    EXPECT_TRUE(
        eventually([&] { return placed->session().server == three().server(*leader).address(); }));
}

TEST(zookeeper_tls, options_of_a_client_say_the_same) {
    auto options = quick_options();
    options.tls = {.enabled = true,
                   .ca_file = files().ours.certificate(),
                   .cert_file = files().client.certificate,
                   .key_file = files().client.key};
    connect(servers_alone().substr(std::string_view{"zookeepers://"}.size()), options);
    EXPECT_THROW(client(three().connect_string(), options), std::system_error);
}

TEST(zookeeper_tls, health_is_asked_over_it) {
    const auto health = health_of_servers(three().connect_string(), limit());
    ASSERT_TRUE(health);
    ASSERT_EQ(health->size(), 3U);
    for (const auto& each : *health) EXPECT_TRUE(each.serves) << each.name << each.problem;
}

// Each of the next tests checks one reason why the client or the server refuses a TLS connection.

TEST(zookeeper_tls, an_unknown_authority_is_refused) {
    EXPECT_THAT(
        refusal_of(servers_alone() + options_of(files().others.certificate(), files().client)),
        HasSubstr("the server's certificate is from no trusted authority"));
}

TEST(zookeeper_tls, a_certificate_of_the_client_is_demanded) {
    EXPECT_THAT(refusal_of(servers_alone() + "?ca_file=" + files().ours.certificate()),
                HasSubstr("the server requires a client certificate: set cert_file and key_file"));
    const auto strange = files().others.issue("strange");
    EXPECT_THAT(refusal_of(servers_alone() + options_of(files().ours.certificate(), strange)),
                HasSubstr("the server does not trust the client's certificate (cert_file)"));
}

TEST(zookeeper_tls, a_revoked_certificate_is_refused) {
    certificate_authority own{"own"};
    const auto server = own.issue("server");
    ensemble single{
        {.tls = server_tls{.authority = own.certificate(), .key_store = server.key_store}}};
    const auto with_list = single.connect_string() + "&crl_file=" + own.revocations();
    connect(with_list);
    own.revoke(server);
    EXPECT_THAT(refusal_of(with_list), HasSubstr("the server's certificate has been revoked"));
}

TEST(zookeeper_tls, an_expired_certificate_is_refused) {
    const auto old = files().ours.issue("old", {.expired = true});
    ensemble single{
        {.tls = server_tls{.authority = files().ours.certificate(), .key_store = old.key_store}}};
    EXPECT_THAT(refusal_of(single.connect_string()),
                HasSubstr("the server's certificate has expired"));
}

TEST(zookeeper_tls, a_certificate_for_another_name_is_refused) {
    const auto foreign =
        files().ours.issue("foreign", {.names = "IP:192.0.2.1,DNS:zk1.example.org"});
    ensemble single{{.tls = server_tls{.authority = files().ours.certificate(),
                                       .key_store = foreign.key_store}}};
    EXPECT_THAT(refusal_of(single.connect_string()),
                HasSubstr("the server's certificate is not for the name 127.0.0.1"));
    connect(single.connect_string() + "&verify=ca");
    connect(single.connect_string() + "&server_name=zk1.example.org");
}

TEST(zookeeper_tls, plain_and_tls_are_told_apart) {
    EXPECT_THAT(refusal_of(server().connect_string()), "connected");
    EXPECT_THAT(refusal_of("zookeepers://" + server().connect_string() +
                           "?ca_file=" + files().ours.certificate()),
                HasSubstr("this may be a port without TLS"));
    EXPECT_THAT(refusal_of(three().server(0).address()), HasSubstr("zookeepers://"));
}

TEST(zookeeper_tls, files_that_cannot_be_used_are_refused) {
    EXPECT_THAT(refusal_of(servers_alone() + "?ca_file=/nowhere/ca.crt"),
                HasSubstr("ca_file=/nowhere/ca.crt: No such file"));
    const auto open = files().ours.issue("open");
    ::chmod(open.key.c_str(), S_IRUSR | S_IWUSR | S_IROTH);
    EXPECT_THAT(refusal_of(servers_alone() + options_of(files().ours.certificate(), open)),
                AllOf(HasSubstr("key_file="), HasSubstr("other users can open it")));
    const auto locked = files().ours.issue("locked", {.password = "sesame"});
    EXPECT_THAT(refusal_of(servers_alone() + options_of(files().ours.certificate(), locked)),
                HasSubstr("key_file="));
    const auto password = locked.key + ".password";
    std::ofstream{password} << "sesame\n";
    ::chmod(password.c_str(), S_IRUSR);
    connect(servers_alone() + options_of(files().ours.certificate(), locked) +
            "&key_password_file=" + password);
}

// The client reads its certificate's files at each connection. With an invalid certificate, a session cannot move to
// another server. After a renewal of the certificate, the session attaches.
TEST(zookeeper_tls, a_renewed_certificate_is_used_while_a_session_stands) {
    const auto path = lock_path();
    auto own = files().ours.issue("renewed");
    const auto holder =
        connect(servers_alone() + options_of(files().ours.certificate(), own), quick_options(60s));
    auto hold = mutex{*holder, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto before = holder->session();
    std::ofstream{own.certificate} << "no certificate\n";
    std::size_t at = 0;
    while (at != 3 && three().server(at).address() != before.server) ++at;
    ASSERT_NE(at, 3U);
    log_lines log;
    three().kill(at);
    EXPECT_TRUE(eventually([&] { return log.with("cert_file=" + own.certificate) > 0; }));
    EXPECT_NE(holder->session().state, session_state::connected);
    static_cast<void>(files().ours.issue("renewed"));
    EXPECT_TRUE(eventually([&] { return holder->session().state == session_state::connected; }));
    EXPECT_EQ(holder->session().id, before.id);
    EXPECT_TRUE(hold->valid());
    three().start(at);
    three().wait_until_serving();
}

TEST(zookeeper_tls, creator_only_takes_the_certificate_for_the_identity) {
    auto options = quick_options();
    options.acl = access_policy::creator_only;
    const auto path = lock_path();
    const auto owner = connect(three().connect_string(), options);
    auto hold = mutex{*owner, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(acl_of(three().connect_string(), path), "x509:CN=turnstile test client ");
    ASSERT_TRUE(hold->release(limit()));
    const auto other = connect(servers_alone() +
                               options_of(files().ours.certificate(), files().ours.issue("other")));
    const auto refused = mutex{*other, path}.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("ACL"));
}

// Another program on this machine may find the port of the client's tunnel and the id of its session. It must not be
// able to use the client's certificate, nor to end the client's connection.
TEST(zookeeper_tls, the_tunnel_is_this_clients_alone) {
    auto options = quick_options();
    options.metrics = metrics::start();
    const auto numbers = options.metrics;
    const auto holder = connect(three().connect_string(), options);
    // The client moves a session with this short timeout to the leader.
    ASSERT_TRUE(eventually([&] { return holder->session().role == server_role::leader; }));
    const auto before = numbers.snapshot();
    log_lines log;
    const auto ports = own_listening_ports();
    ASSERT_FALSE(ports.empty());
    const auto attach = attach_of(holder->session().id);
    for (const auto port : ports) EXPECT_TRUE(another_process_is_hung_up_at(port, attach));
    EXPECT_TRUE(
        eventually([&] { return log.with("another program connected to the tunnel") > 0; }));
    EXPECT_TRUE(mutex(*holder, lock_path()).acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(numbers.snapshot().outages, before.outages) << "the client lost its connection";
}

// Without a guardian (a process that closes a dead process's sessions), the lock stays taken for ten minutes.
TEST(zookeeper_tls, a_guardian_ends_the_session_of_a_killed_process) {
    ensemble patient{{.max_session_timeout = 600s, .tls = demanding()}};
    expect_that_a_guardian_frees_the_lock(patient.connect_string());
}

}  // namespace
}  // namespace turnstile::tests
