// SPDX-License-Identifier: Apache-2.0
// The stage of a campaign (the process with the servers), with three ZooKeeper servers. The stage can stall the
// servers' disks and logs.
#include <fstream>

#include "server_log.hpp"
#include "staged_servers.hpp"
#include "turnstile/testing/certificate_authority.hpp"
#include "turnstile/testing/ensemble.hpp"

namespace campaign {
namespace {

constexpr std::size_t k_servers = 3;
constexpr const char* k_log = "log-pipe";  // name of the pipe in the server's folder

turnstile::testing::ensemble_options options_for(
    const stage_settings& settings, const std::optional<turnstile::testing::server_tls>& tls) {
    turnstile::testing::ensemble_options options;
    options.tls = tls;
    options.count = k_servers;
    options.tick_time = std::chrono::milliseconds{settings.tick_ms};
    options.sync_limit = settings.sync_limit;
    // ZooKeeper syncs each write to the disk. The preloaded library (stall_disk.cpp) decides how long a sync takes.
    options.sync = turnstile::testing::disk_sync::on;
    options.heap_mebibytes = 1024;  // room for an hour's requests to stopped followers
    // The servers must not log the requests by which clients ask for a server's role. Otherwise the answer would wait
    // while the log stalls.
    const std::string level = "org.slf4j.simpleLogger.log.org.apache.zookeeper.server.";
    options.system_properties = {{"org.slf4j.simpleLogger.logFile", k_log},
                                 {level + "NIOServerCnxn", "warn"},
                                 {level + "NettyServerCnxn", "warn"},
                                 {"org.slf4j.simpleLogger.showDateTime", "true"}};
    return options;
}

class zookeeper_servers : public staged_servers {
public:
    explicit zookeeper_servers(const stage_settings& settings,
                               const std::optional<turnstile::testing::server_tls>& tls = {})
        : servers_{options_for(settings, tls)} {
        // The folders exist only after the first start. So the servers start, stop, and start again with pipes in
        // place of their logs.
        for (std::size_t i = 0; i != k_servers; ++i) {
            servers_.kill(i);
            logs_.push_back(std::make_unique<server_log>(
                folder(i) / k_log, settings.folder / ("server-" + std::to_string(i) + ".log")));
        }
        for (std::size_t i = 0; i != k_servers; ++i) servers_.start(i);
        servers_.wait_until_serving();
    }

    [[nodiscard]] std::size_t count() const override { return k_servers; }
    [[nodiscard]] std::string address(std::size_t i) const override {
        return servers_.server(i).address();
    }
    [[nodiscard]] fs::path folder(std::size_t i) const override {
        return servers_.server(i).data_folder().parent_path();
    }
    void kill(std::size_t i) override { servers_.kill(i); }
    void stop(std::size_t i) override { servers_.stop(i); }
    void start(std::size_t i) override { servers_.start(i); }
    void pause(std::size_t i) override { servers_.pause(i); }
    void resume(std::size_t i) override { servers_.resume(i); }
    [[nodiscard]] bool running(std::size_t i) const override {
        return servers_.server(i).running();
    }
    void wait_until_serving() override { servers_.wait_until_serving(); }

    bool carry_out(const std::string& order, std::size_t i, const std::string& /*rest*/) override {
        if (order == "log-stall") return logs_[i]->stall(), true;
        if (order == "log-flow") return logs_[i]->flow(), true;
        if (order == "disk-stall") return std::ofstream{folder(i) / "stall-disk"}.good();
        if (order == "disk-flow") return fs::remove(folder(i) / "stall-disk"), true;
        return false;
    }

private:
    turnstile::testing::ensemble servers_;
    std::vector<std::unique_ptr<server_log>> logs_;
};

// Certificates that all servers share, and certificates that all clients share.
struct certificates {
    turnstile::testing::certificate_authority authority{"campaign"};
    turnstile::testing::issued_certificate server = authority.issue("server");
    turnstile::testing::issued_certificate client = authority.issue("client");

    [[nodiscard]] turnstile::testing::server_tls tls() const {
        return {.authority = authority.certificate(),
                .key_store = server.key_store,
                .client_certificates = true,
                .client_certificate = client.certificate,
                .client_key = client.key};
    }
    void renew() {
        server = authority.issue("server");
        client = authority.issue("client");
    }
};

// The ZooKeeper servers of a campaign, accepting only TLS.
class secured_zookeeper_servers final : private certificates, public zookeeper_servers {
public:
    explicit secured_zookeeper_servers(const stage_settings& settings)
        : zookeeper_servers{settings, tls()} {}

    [[nodiscard]] std::string address_options() const override {
        return tls().options_with("ca_file=" + authority.certificate());
    }

    bool carry_out(const std::string& order, std::size_t i, const std::string& rest) override {
        if (order == "renew") return renew(), true;
        return zookeeper_servers::carry_out(order, i, rest);
    }
};

}  // namespace

std::unique_ptr<staged_servers> make_zookeeper(const stage_settings& settings) {
    return std::make_unique<zookeeper_servers>(settings);
}

std::unique_ptr<staged_servers> make_secured_zookeeper(const stage_settings& settings) {
    return std::make_unique<secured_zookeeper_servers>(settings);
}

}  // namespace campaign
