// SPDX-License-Identifier: Apache-2.0
// zookeeper_server: one real ZooKeeper server in a process of its own. Tests use it through
// `ensemble`.
//
// Runs the server from the jars that Debian's package libzookeeper-java installs, or from the class
// path in the environment variable TURNSTILE_ZOOKEEPER_CLASSPATH, with the `java` of JAVA_HOME or
// PATH.
//
// Thread safety: const members from any thread; the others from one thread at a time.
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

// TLS between clients and a server; its port takes no connections without.
struct server_tls {
    std::string authority{};           // PEM: of servers' and clients' certificates
    std::string key_store{};           // PEM: the server's key and its certificate
    bool client_certificates = false;  // it takes no client without one
    // What connect_string() shows to the server; empty: none.
    std::string client_certificate{};
    std::string client_key{};

    // "?cert_file=...&key_file=..." behind this option of a connect string.
    [[nodiscard]] std::string options_with(const std::string& option) const;
};

struct zookeeper_server_options {
    std::filesystem::path folder{};  // holds zoo.cfg, data and log; must exist
    std::uint16_t client_port = 0;   // on 127.0.0.1
    std::string config{};            // the text of zoo.cfg, without clientPort and dataDir
    std::vector<std::string> java_arguments{};  // before the class name
    int id = 0;                                 // myid in an ensemble; 0: standalone
    std::filesystem::path data_from{};          // a dataDir whose copy it starts with; empty: none
    std::optional<server_tls> tls{};            // none: without TLS
};

class zookeeper_server {
public:
    // Writes the configuration; starts nothing. Throws std::runtime_error if Java or the jars are
    // missing (and names the Debian packages), std::system_error if files cannot be written.
    explicit zookeeper_server(zookeeper_server_options options);

    void start();  // returns at once; nothing if it runs
    void stop();   // SIGTERM and waits; the data stays
    void kill();   // SIGKILL and waits; the data stays
    // Deletes its data; only while it does not run. Throws std::logic_error, std::system_error.
    void wipe();
    void pause();  // SIGSTOP: connections stay open, nothing is answered
    void resume();

    [[nodiscard]] bool running() const;  // also while it is paused
    // How it ended, as `process` tells it; empty while it runs or before it was started.
    [[nodiscard]] std::optional<int> exit_code() const;
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001"
    // The same, or with TLS "zookeepers://127.0.0.1:20001?ca_file=...".
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] std::uint16_t client_port() const noexcept { return options_.client_port; }
    [[nodiscard]] const std::filesystem::path& data_folder() const noexcept { return data_; }
    [[nodiscard]] std::string log() const;  // what the server wrote since the first start

    // "leader", "follower", "standalone", ... as `srvr` says; empty while it serves no client, is
    // stopped or is paused.
    [[nodiscard]] std::string mode() const;
    // See four_letter_word.hpp for both.
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
