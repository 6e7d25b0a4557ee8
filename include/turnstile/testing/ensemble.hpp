// SPDX-License-Identifier: Apache-2.0
// ensemble: starts one or three real ZooKeeper servers for a test, in about a second.
//
//     ensemble servers{{.count = 3}};
//     turnstile::client client{servers.connect_string(), {.lease = servers.lease_settings()}};
//     servers.kill(*servers.leader());
//     servers.wait_until_serving();
//
// The servers listen on free ports of 127.0.0.1, and keep their ports when they restart. Their data are in a temporary
// folder. When the ensemble is destroyed or the process dies, no server and no file remains.
//
// Thread safety: any thread may call const members; one thread at a time calls the others.
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

// Decides whether the servers wait for the disk at each write. `off` is faster: the data survive a crash of the
// servers, but not a crash of the machine.
enum class disk_sync { off, on };

// The options of an ensemble.
struct ensemble_options {
    std::size_t count = 1;  // 1 (standalone) or 3
    // The servers' tickTime. The servers round the end of each session timeout up to a multiple of the tickTime. A
    // follower reports its sessions to the leader every half tick.
    std::chrono::milliseconds tick_time{200};
    int init_limit = 50;  // in ticks: how long a follower may take to join
    int sync_limit = 10;  // in ticks: how long a follower and a leader may be silent
    // The shortest and the longest session timeout that clients can get. A minimum of zero means two ticks.
    std::chrono::milliseconds min_session_timeout{0};
    std::chrono::milliseconds max_session_timeout{60'000};
    // The interval between two searches for empty container znodes. The servers delete an empty container at the second
    // search at the earliest.
    std::chrono::milliseconds container_check_interval{60'000};
    // False: sets leaderServes=no. Then, with three servers, leader() returns an empty optional.
    bool leader_serves = true;
    std::optional<std::size_t> jute_maxbuffer{};  // size of the largest request, in bytes
    // Heap size of each server's Java VM, in MiB. A leader keeps in its heap all data that a stopped follower has not
    // read yet.
    std::size_t heap_mebibytes = 128;
    disk_sync sync = disk_sync::off;
    std::filesystem::path
        data_from{};  // a server's data folder; every server starts with a copy of it
    std::optional<server_tls> tls{};          // TLS between clients and all servers; empty: no TLS
    std::vector<std::string> config_lines{};  // lines that are appended to zoo.cfg: "name=value"
    // System properties of the Java VM: {"zookeeper.forceSync", "yes"} becomes -Dzookeeper.forceSync=yes.
    std::vector<std::pair<std::string, std::string>> system_properties{};
};

// A group of servers. `i` is the index of a server, counted from 0. For a wrong index the functions throw
// std::out_of_range.
class ensemble {
public:
    // Starts the servers, and waits until they serve. Throws std::runtime_error if Java or the jars are missing, if the
    // count is not 1 or 3, or if the servers do not serve within limit() of test_deadline.hpp (the message has the last
    // lines of their logs).
    explicit ensemble(ensemble_options options = {});

    // Returns the number of servers.
    [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
    // Returns the server with index `i`, counted from 0. Throws std::out_of_range.
    [[nodiscard]] zookeeper_server& server(std::size_t i) { return *servers_.at(i); }
    [[nodiscard]] const zookeeper_server& server(std::size_t i) const { return *servers_.at(i); }

    // Returns settings for client_options::lease that fit the relay bound of these servers (the longest time until the
    // leader learns of a message that a follower has received). With these settings holds are certain for as long as
    // possible, even if the client does not ask the servers for their settings.
    [[nodiscard]] turnstile::lease_settings lease_settings() const;

    [[nodiscard]] std::string connect_string() const;               // all servers
    [[nodiscard]] std::string connect_string(std::size_t i) const;  // a single server

    void kill(std::size_t i);  // SIGKILL
    void stop(std::size_t i);  // SIGTERM: the server ends in order
    // Starts the server again, with its data and port. Does not wait until it serves.
    void start(std::size_t i);
    void restart(std::size_t i);  // stops it, starts it, and waits until it serves
    // Stops the server, deletes all its data, starts it, and waits until it serves. For a standalone server that is
    // like the loss of its disk. One of three servers gets its data again from the others.
    void wipe(std::size_t i);
    void pause(std::size_t i);   // SIGSTOP
    void resume(std::size_t i);  // SIGCONT

    // Returns the index of the leader, or of the only server; empty while no server leads. Does not ask paused servers.
    [[nodiscard]] std::optional<std::size_t> leader() const;
    // Returns the index of one of the followers; empty for a standalone server.
    [[nodiscard]] std::optional<std::size_t> follower() const;

    // Waits until one server leads, and every server that runs and is not paused serves clients. Exception: with
    // leader_serves = false the leader serves no clients. At the deadline throws std::runtime_error, whose message has
    // the servers' reports.
    void wait_until_serving(test_deadline until = {}) const;

    // Asks the server with index `i` a four-letter word, like "srvr", and returns its answer.
    [[nodiscard]] std::string four_letter_word(std::size_t i, std::string_view word) const;
    // Returns the numbers in the server's answer to "mntr", by name (parse_counters()).
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
