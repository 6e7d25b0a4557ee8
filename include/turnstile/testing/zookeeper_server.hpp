// SPDX-License-Identifier: Apache-2.0
// zookeeper_server: a real ZooKeeper server in its own process. Tests use it through `ensemble`.
//
// The server's jars belong to Debian's package libzookeeper-java, or are on the class path in the environment
// variable TURNSTILE_ZOOKEEPER_CLASSPATH. `java` comes from JAVA_HOME or PATH.
//
// Thread safety: any thread may call const members; one thread at a time calls the others.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/testing/process.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// TLS between clients and a server. Its port accepts no connection without TLS.
struct server_tls {
    std::string authority{};  // PEM: the authority of the servers' and clients' certificates
    std::string key_store{};  // PEM: the server's key and its certificate
    bool client_certificates = false;  // true: the server refuses clients without a certificate
    // The client certificate and key that connect_string() names; empty: none.
    std::string client_certificate{};
    std::string client_key{};

    // Returns "?cert_file=...&key_file=...", to append to this option of a connect string.
    [[nodiscard]] std::string options_with(const std::string& option) const;
};

// The options of a server.
struct zookeeper_server_options {
    std::filesystem::path folder{};  // for zoo.cfg, data and log; must exist
    std::uint16_t client_port = 0;   // on 127.0.0.1
    std::string config{};            // the text of zoo.cfg, without clientPort and dataDir
    std::vector<std::string> java_arguments{};  // arguments of java before the class name
    int id = 0;                                 // myid in an ensemble; 0: standalone
    // A dataDir; the server starts with a copy of it; empty: none.
    std::filesystem::path data_from{};
    std::optional<server_tls> tls{};  // none: without TLS
};

// A server.
class zookeeper_server {
public:
    // Writes the configuration, and starts nothing. Throws std::runtime_error if Java or the jars are missing (the
    // message names the Debian packages), std::system_error if files cannot be written.
    explicit zookeeper_server(zookeeper_server_options options);

    void start();  // returns at once; does nothing if the server runs
    void stop();   // SIGTERM, and waits; the data remain
    void kill();   // SIGKILL, and waits; the data remain
    // Deletes its data; call it only while the server does not run. Throws std::logic_error, std::system_error.
    void wipe();
    void pause();   // SIGSTOP: connections stay open, but get no answer
    void resume();  // SIGCONT

    [[nodiscard]] bool running() const;  // true also while the server is paused
    // Returns how the server ended, see process::exit_code(); empty while it runs or before its start.
    [[nodiscard]] std::optional<int> exit_code() const;
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001"
    // The same, or with TLS "zookeepers://127.0.0.1:20001?ca_file=...".
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] std::uint16_t client_port() const noexcept { return options_.client_port; }
    [[nodiscard]] const std::filesystem::path& data_folder() const noexcept { return data_; }
    [[nodiscard]] std::string log() const;  // the server's output since its first start

    // Returns "leader", "follower", "standalone" and so on, from `srvr`; empty while the server serves no clients, is
    // stopped, or is paused.
    [[nodiscard]] std::string mode() const;
    // Both: see four_letter_word.hpp.
    [[nodiscard]] std::string four_letter_word(std::string_view word,
                                               test_deadline until = {}) const;
    [[nodiscard]] std::map<std::string, std::int64_t> counters() const;

private:
    zookeeper_server_options options_;
    std::filesystem::path data_;
    std::filesystem::path log_;
    std::vector<std::string> command_;
    std::optional<process> process_;
    std::atomic<bool> paused_ = false;
};

}  // namespace turnstile::testing
