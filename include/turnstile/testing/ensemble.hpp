// SPDX-License-Identifier: Apache-2.0
// ensemble: one or three real ZooKeeper servers for a test, ready in about a second.
//
//     ensemble servers{{.count = 3}};
//     turnstile::client client{servers.connect_string(), {.lease = servers.lease_settings()}};
//     servers.kill(*servers.leader());
//     servers.wait_until_serving();
//
// The servers listen on free ports of 127.0.0.1, which they keep over restarts, and keep their data
// in a temporary folder. Nothing of them is left when the ensemble is destroyed or the process
// dies.
//
// Thread safety: const members from any thread; the others from one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/client_options.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/testing/zookeeper_server.hpp"

namespace turnstile::testing {

// Whether the servers wait for the disk at each write. `off` is quicker; what was written survives
// the death of the servers, not that of the machine.
enum class disk_sync { off, on };

struct ensemble_options {
    std::size_t count = 1;  // 1 (standalone) or 3
    // The servers' unit of time. Expiry rounds up to it; a leader hears of a session that is
    // attached to a follower every half tick.
    std::chrono::milliseconds tick_time{200};
    int init_limit = 50;  // in ticks: how long a follower may take to join
    int sync_limit = 10;  // in ticks: how long a follower and a leader may be silent
    // What a client may negotiate. A minimum of zero: two ticks.
    std::chrono::milliseconds min_session_timeout{0};
    std::chrono::milliseconds max_session_timeout{60'000};
    // How often empty containers are looked for; they go at the second look at the earliest.
    std::chrono::milliseconds container_check_interval{60'000};
    bool leader_serves = true;  // false: leaderServes=no; of three, leader() finds none
    std::optional<std::size_t> jute_maxbuffer{};  // in bytes; the largest request
    // Of each server's Java VM, in MiB. A leader keeps what a stopped follower has not read yet.
    std::size_t heap_mebibytes = 128;
    disk_sync sync = disk_sync::off;
    std::filesystem::path data_from{};  // a data folder, copied, that every server starts with
    std::optional<server_tls> tls{};    // of all servers towards clients; none: without TLS
    std::vector<std::string> config_lines{};  // appended to zoo.cfg: "name=value"
    // Of the Java VM: {"zookeeper.forceSync", "yes"} becomes -Dzookeeper.forceSync=yes.
    std::vector<std::pair<std::string, std::string>> system_properties{};
};

class ensemble {
public:
    // Starts the servers and waits until they serve. Throws std::runtime_error if Java or the jars
    // are missing, the count is not 1 or 3, or they do not serve within `limit()` (with their logs'
    // ends).
    explicit ensemble(ensemble_options options = {});

    [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
    [[nodiscard]] zookeeper_server& server(std::size_t i) { return *servers_.at(i); }
    [[nodiscard]] const zookeeper_server& server(std::size_t i) const { return *servers_.at(i); }

    // For client_options::lease: how late these servers' followers relay, so that holds are certain for as long as
    // they can be, also where the servers are not asked.
    [[nodiscard]] turnstile::lease_settings lease_settings() const;

    [[nodiscard]] std::string connect_string() const;               // of all servers
    [[nodiscard]] std::string connect_string(std::size_t i) const;  // of one

    void kill(std::size_t i);     // SIGKILL
    void stop(std::size_t i);     // an orderly end
    void start(std::size_t i);    // again, with its data and port; does not wait until it serves
    void restart(std::size_t i);  // stop, start and wait until it serves
    // Stop, delete all its data, start and wait until it serves: what a lost disk does to a
    // standalone server. One of three gets its data again from the others.
    void wipe(std::size_t i);
    void pause(std::size_t i);   // SIGSTOP
    void resume(std::size_t i);  // SIGCONT

    // The server that leads, or the only one; empty while there is none. Paused servers are not
    // asked.
    [[nodiscard]] std::optional<std::size_t> leader() const;
    // Some server that follows; empty in a standalone one.
    [[nodiscard]] std::optional<std::size_t> follower() const;

    // Waits until every server that runs and is not paused serves clients, but for a leader that is to serve none, and
    // one of them leads. Just after a leader that serves none has died its followers still say that they follow.
    // Throws std::runtime_error at the deadline, with what the servers say about themselves.
    void wait_until_serving(test_deadline until = {}) const;

    [[nodiscard]] std::string four_letter_word(std::size_t i, std::string_view word) const;
    [[nodiscard]] std::map<std::string, std::int64_t> counters(std::size_t i) const;

private:
    [[nodiscard]] bool serving() const;
    [[nodiscard]] std::string report() const;

    std::chrono::milliseconds tick_time_;
    int sync_limit_;
    bool leader_serves_;
    std::optional<server_tls> tls_;
    temporary_folder folder_;
    std::vector<loopback_port> ports_;
    std::vector<std::unique_ptr<zookeeper_server>> servers_;
};

}  // namespace turnstile::testing
