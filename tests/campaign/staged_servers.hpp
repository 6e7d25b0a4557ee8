// SPDX-License-Identifier: Apache-2.0
// staged_servers: a campaign's servers, all of one kind, and the faults that the campaign can cause in them.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace campaign {

namespace fs = std::filesystem;

struct stage_settings {
    fs::path folder;                 // folder of the campaign
    int tick_ms = 0;                 // for ZooKeeper only
    int sync_limit = 0;              // for ZooKeeper only
    std::size_t small_disk_mib = 0;  // size of each server's private disk; 0: the machine's disk
};

class staged_servers {
public:
    virtual ~staged_servers() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;
    [[nodiscard]] virtual std::string address(std::size_t i) const = 0;  // "127.0.0.1:20001"
    // Returns the part of a connect string after the addresses: "?ca_file=...", or an empty text.
    [[nodiscard]] virtual std::string address_options() const { return {}; }
    [[nodiscard]] virtual fs::path folder(std::size_t i) const = 0;
    virtual void kill(std::size_t i) = 0;
    virtual void stop(std::size_t i) = 0;
    // Returns when the server serves. Has no effect on a running server.
    virtual void start(std::size_t i) = 0;
    virtual void pause(std::size_t i) = 0;
    virtual void resume(std::size_t i) = 0;
    [[nodiscard]] virtual bool running(std::size_t i) const = 0;
    virtual void wait_until_serving() = 0;
    [[nodiscard]] virtual std::size_t master() const { return 0; }
    // Executes an order that only some kinds of servers know: "log-stall", "disk-flow", "sql", ... Returns false if
    // this kind does not know the order.
    virtual bool carry_out(const std::string& /*order*/, std::size_t /*server*/,
                           const std::string& /*rest*/) {
        return false;
    }
    // Number of a worker's links. Link i leads to server i. A worker without links uses connect_string().
    [[nodiscard]] virtual std::size_t links() const { return count(); }
    [[nodiscard]] virtual std::string connect_string() const { return {}; }
};

// Throws std::runtime_error for an unknown kind.
[[nodiscard]] std::unique_ptr<staged_servers> make_servers(const std::string& kind,
                                                           const stage_settings& settings);

[[nodiscard]] std::unique_ptr<staged_servers> make_zookeeper(const stage_settings& settings);
[[nodiscard]] std::unique_ptr<staged_servers> make_secured_zookeeper(
    const stage_settings& settings);
[[nodiscard]] std::unique_ptr<staged_servers> make_redis(const stage_settings& settings);
[[nodiscard]] std::unique_ptr<staged_servers> make_replicated_redis(const stage_settings& settings);
[[nodiscard]] std::unique_ptr<staged_servers> make_watched_redis(const stage_settings& settings);
[[nodiscard]] std::unique_ptr<staged_servers> make_postgresql(const stage_settings& settings);
[[nodiscard]] std::unique_ptr<staged_servers> make_mariadb(const stage_settings& settings);

}  // namespace campaign
