// SPDX-License-Identifier: Apache-2.0
// Runs the examples in the comments of the testing kit's headers (turnstile/testing), on real servers and child
// processes.
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "headers/reader.hpp"
#include "turnstile/testing/certificate_authority.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/four_letter_word.hpp"
#include "turnstile/testing/guardian_program.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/session_fault.hpp"
#include "turnstile/testing/simulation.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/tools/session_secret.hpp"

namespace turnstile::testing {
namespace {

using namespace std::chrono_literals;
using turnstile::tests::own_tree;
using turnstile::tests::reader;

// Writes a program that prints READY and then sleeps. Returns the program's path.
std::string contender_in(const temporary_folder& folder) {
    auto program = (folder.path() / "contender").string();
    std::ofstream{program} << "#!/bin/sh\necho READY\nexec sleep 1000\n";
    EXPECT_EQ(::chmod(program.c_str(), S_IRWXU), 0);
    return program;
}

TEST(header_examples, temporary_folder) {
#include "examples/testing/temporary_folder.inc"
    EXPECT_TRUE(std::filesystem::exists(scratch.path() / "counter"));
}

TEST(header_examples, event) {
    client servers{own_tree()};
    turnstile::mutex orders{servers, "/locks/orders"};
#include "examples/testing/event.inc"
}

TEST(header_examples, process) {
    const temporary_folder scratch;
    const auto log = scratch.path() / "log";
    const auto program = contender_in(scratch);
#include "examples/testing/process.inc"
}

TEST(header_examples, guardian_program) {
    const temporary_folder scratch;
    const auto log = scratch.path() / "log";
    const std::string installed = "/bin/sleep";
    const std::string address = "local:";
    const auto program = contender_in(scratch);
#include "examples/testing/guardian_program.inc"
    EXPECT_TRUE(worker.running());
}

TEST(header_examples, simulation) {
    reader stop;
#include "examples/testing/simulation.inc"
    EXPECT_EQ(stop.calls(), 1);
}

TEST(header_examples, certificate_authority) {
#include "examples/testing/certificate_authority.inc"
    EXPECT_TRUE(std::filesystem::exists(server.key_store));
}

// The example's files do not exist, and the constructor reports that before it connects.
void use_tls_options(){
#include "examples/tls_options.inc"
}

TEST(header_examples, tls_options) {
    EXPECT_THROW(use_tls_options(), std::system_error);
}

void use_sasl_options(){
#include "examples/sasl_options.inc"
}

TEST(header_examples, sasl_options) {
    EXPECT_THROW(use_sasl_options(), std::system_error);
}

TEST(header_examples, ensemble) {
#include "examples/testing/ensemble.inc"
    EXPECT_TRUE(client.wait_connected(limit()));
}

// ---- examples about one server -----------------------------------------------------------------

class server_examples : public ::testing::Test {
protected:
    ensemble servers{};
};

TEST_F(server_examples, four_letter_word) {
    const auto address = servers.connect_string();
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
#include "examples/testing/four_letter_word.inc"
}

TEST_F(server_examples, test_deadline) {
    turnstile::client client{servers.connect_string()};
    turnstile::mutex orders{client, "/orders"};
    auto hold = orders.acquire({.timeout = limit()}).value();
    client.close();
#include "examples/testing/test_deadline.inc"
}

TEST(header_examples, session_secret) {
    const ensemble stage{};
    const auto hosts = stage.connect_string();
    turnstile::client servers{hosts};
    ASSERT_TRUE(servers.wait_connected(limit()));
    const auto epoch = servers.session().epoch;
#include "examples/tools/session_secret.inc"
    EXPECT_TRUE(eventually([&] { return servers.session().epoch > epoch; }));
}

TEST_F(server_examples, session_fault) {
    tcp_proxy proxy{servers.connect_string()};
    turnstile::client client{proxy.address(), {.session_timeout = 2s}};
    ASSERT_TRUE(client.wait_connected(limit()));
#include "examples/testing/session_fault.inc"

#include "examples/testing/session_fault-2.inc"
}

TEST_F(server_examples, tcp_proxy) {
#include "examples/testing/tcp_proxy.inc"
    turnstile::mutex orders{client, "/orders"};
    const auto hold = orders.acquire({.timeout = 500ms});
    EXPECT_FALSE(hold);
    proxy.filter(direction::to_client, {});
}

}  // namespace
}  // namespace turnstile::testing
