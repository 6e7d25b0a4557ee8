// SPDX-License-Identifier: Apache-2.0
// zookeeper_server: a real ZooKeeper server in its own process. Tests use it through `ensemble`.
//
// The server's jars are from Debian's package libzookeeper-java, or from the class path in the environment variable
// TURNSTILE_ZOOKEEPER_CLASSPATH. `java` comes from JAVA_HOME or PATH.
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

// TLS between clients and a server. The server's port accepts no connection without TLS.
struct server_tls {
    std::string
        authority{};  // PEM: the authority that issued the certificates of servers and clients
    std::string key_store{};           // PEM: the server's key and its certificate
    bool client_certificates = false;  // true: the server refuses clients without a certificate
    // The client certificate and key that connect_string() names; empty: none.
    std::string client_certificate{};
    std::string client_key{};

    // Returns "?" and `option`, for the end of a connect string. If there is a client certificate,
    // "&cert_file=...&key_file=..." follows.
    [[nodiscard]] std::string options_with(const std::string& option) const;
};

// The options of a server.
struct zookeeper_server_options {
    std::filesystem::path folder{};  // folder for zoo.cfg, data and log; must exist
    std::uint16_t client_port = 0;   // port on 127.0.0.1
    std::string config{};            // the text of zoo.cfg, without clientPort and dataDir
    std::vector<std::string> java_arguments{};  // arguments of java before the class name
    int id = 0;                                 // the server's myid in an ensemble; 0: standalone
    // A data folder (dataDir). The server starts with a copy of this folder. Empty: the server starts without data.
    std::filesystem::path data_from{};
    std::optional<server_tls> tls{};  // empty: no TLS
};

// A server.
class zookeeper_server {
public:
    // Writes the configuration, and starts nothing. Throws std::runtime_error if Java or the jars are missing (the
    // message names the Debian packages), std::system_error if files cannot be written.
    explicit zookeeper_server(zookeeper_server_options options);

    void start();  // returns at once; does nothing if the server already runs
    void stop();   // SIGTERM, and waits for the end; the data remain
    void kill();   // SIGKILL, and waits for the end; the data remain
    // Deletes the server's data. Throws std::logic_error if the server runs, or std::system_error if the files cannot
    // be deleted.
    void wipe();
    void pause();   // SIGSTOP: connections stay open, but get no answer
    void resume();  // SIGCONT

    [[nodiscard]] bool running() const;  // true also while the server is paused
    // Returns the exit code of the server, see process::exit_code(); empty while the server runs, or before its start.
    [[nodiscard]] std::optional<int> exit_code() const;
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001"
    // Returns address(), or with TLS a text like "zookeepers://127.0.0.1:20001?ca_file=...".
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] std::uint16_t client_port() const noexcept { return options_.client_port; }
    [[nodiscard]] const std::filesystem::path& data_folder() const noexcept { return data_; }
    [[nodiscard]] std::string log() const;  // the server's output since its first start

    // Returns "leader", "follower", "standalone" and so on, from `srvr`; empty while the server serves no clients, is
    // stopped, or is paused.
    [[nodiscard]] std::string mode() const;
    // four_letter_word() sends `word` to the server, and returns the answer. counters() returns the numbers in the
    // answer to "mntr". See four_letter_word.hpp.
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
