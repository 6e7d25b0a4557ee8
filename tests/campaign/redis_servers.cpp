// SPDX-License-Identifier: Apache-2.0
// The stage of a campaign (the process with the servers), with Redis. The stage has a single server that persists each
// write, or a master with two replicas that lag. An order or the sentinels' decision makes a replica the master.
#include <memory>
#include <optional>
#include <stdexcept>

#include "small_disk.hpp"
#include "staged_servers.hpp"
#include "turnstile/testing/redis_sentinel.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace campaign {
namespace {

using turnstile::testing::redis_server;
using turnstile::testing::tcp_proxy;
using turnstile::testing::traffic;

// judge.py reads the append-only file, and needs the whole file, from the first write on.
constexpr const char* k_durable =
    "appendonly yes\nappendfsync always\nauto-aof-rewrite-percentage 0\n";

class durable_redis final : public staged_servers {
public:
    explicit durable_redis(const stage_settings& settings) : server_{{k_durable}} {
        if (settings.small_disk_mib != 0) disk_.emplace(server_.folder(), settings.small_disk_mib);
        server_.start();
    }
    ~durable_redis() override { server_.kill(); }
    durable_redis(const durable_redis&) = delete;
    durable_redis& operator=(const durable_redis&) = delete;

    [[nodiscard]] std::size_t count() const override { return 1; }
    [[nodiscard]] std::string address(std::size_t /*i*/) const override {
        return server_.address();
    }
    [[nodiscard]] fs::path folder(std::size_t /*i*/) const override { return server_.folder(); }
    void kill(std::size_t /*i*/) override { server_.kill(); }
    void stop(std::size_t /*i*/) override { server_.stop(); }
    void start(std::size_t /*i*/) override { server_.start(); }
    void pause(std::size_t /*i*/) override { server_.pause(); }
    void resume(std::size_t /*i*/) override { server_.resume(); }
    [[nodiscard]] bool running(std::size_t /*i*/) const override { return server_.running(); }
    void wait_until_serving() override { server_.start(); }

private:
    redis_server server_;
    std::optional<small_disk> disk_;
};

// Each replica has a link to the master, and this process can cut that link.
class replicated_redis final : public staged_servers {
public:
    replicated_redis() {
        for (std::size_t i = 0; i != k_servers; ++i) {
            servers_.push_back(std::make_unique<redis_server>(
                turnstile::testing::redis_server_options{"repl-diskless-sync-delay 0\n"}));
            servers_.back()->start();
            sources_.push_back(
                std::make_unique<tcp_proxy>(servers_.back()->address(), traffic::bytes));
        }
        for (std::size_t i = 1; i != k_servers; ++i) follow(i, 0);
        wait_until_serving();
    }

    [[nodiscard]] std::size_t count() const override { return k_servers; }
    [[nodiscard]] std::string address(std::size_t i) const override {
        return servers_.at(i)->address();
    }
    [[nodiscard]] fs::path folder(std::size_t i) const override { return servers_.at(i)->folder(); }
    void kill(std::size_t i) override { servers_.at(i)->kill(); }
    void stop(std::size_t i) override { servers_.at(i)->stop(); }
    // A restarted server becomes a replica of the master, because it starts without data.
    void start(std::size_t i) override {
        servers_.at(i)->start();
        sources_.at(i)->pass();
        sources_.at(i)->accept();
        if (i != master_) follow(i, master_);
    }
    void pause(std::size_t i) override { servers_.at(i)->pause(); }
    void resume(std::size_t i) override { servers_.at(i)->resume(); }
    [[nodiscard]] bool running(std::size_t i) const override { return servers_.at(i)->running(); }

    // Waits until each replica has the master's data.
    void wait_until_serving() override {
        for (std::size_t i = 0; i != k_servers; ++i)
            if (!running(i)) start(i);
        const bool all = turnstile::testing::eventually(
            [&] { return servers_.at(master_)->ask("WAIT 2 100") == ":2"; });
        if (!all) throw std::runtime_error{"the replicas do not follow"};
    }

    bool carry_out(const std::string& order, std::size_t i, const std::string& /*rest*/) override {
        if (order == "lag") return sources_.at(master_)->black_hole(), true;
        if (order != "promote") return false;
        // The old master's writes that its replicas have not received are lost.
        sources_.at(master_)->refuse();
        if (servers_.at(i)->ask("REPLICAOF NO ONE") != "+OK")
            throw std::runtime_error{"a replica was not promoted"};
        const auto old = std::exchange(master_, i);
        for (std::size_t other = 0; other != k_servers; ++other)
            if (other != i && other != old && running(other)) follow(other, i);
        return true;
    }
    [[nodiscard]] std::size_t links() const override { return 1; }
    [[nodiscard]] std::size_t master() const override { return master_; }

private:
    static constexpr std::size_t k_servers = 3;

    void follow(std::size_t i, std::size_t master) const {
        const auto answer = servers_.at(i)->ask("REPLICAOF 127.0.0.1 " +
                                                std::to_string(sources_.at(master)->port()));
        if (answer != "+OK") throw std::runtime_error{"REPLICAOF: " + answer};
    }

    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<tcp_proxy>> sources_;
    std::size_t master_ = 0;
};

// Redis servers with sentinels, which tell clients which server is the master. To delay a replica, this class gives it
// a wrong password for its master.
class watched_redis final : public staged_servers {
public:
    watched_redis() { servers_.start(); }

    [[nodiscard]] std::size_t count() const override { return servers_.server_count(); }
    [[nodiscard]] std::string address(std::size_t i) const override { return server(i).address(); }
    [[nodiscard]] fs::path folder(std::size_t i) const override { return server(i).folder(); }
    void kill(std::size_t i) override { server(i).kill(); }
    void stop(std::size_t i) override { server(i).stop(); }
    // Removes the wrong password of the order "lag", which a sentinel may have made the server save in its file.
    void start(std::size_t i) override {
        server(i).start();
        (void)server(i).ask("CONFIG SET masterauth \"\"");
    }
    void pause(std::size_t i) override { server(i).pause(); }
    void resume(std::size_t i) override { server(i).resume(); }
    [[nodiscard]] bool running(std::size_t i) const override { return server(i).running(); }

    void wait_until_serving() override {
        for (std::size_t i = 0; i != count(); ++i) start(i);
        const bool all = turnstile::testing::eventually(
            [&] { return server(servers_.master()).ask("WAIT 2 100") == ":2"; });
        if (!all) throw std::runtime_error{"the replicas do not follow"};
    }

    bool carry_out(const std::string& order, std::size_t i, const std::string& /*rest*/) override {
        if (order == "lag") {
            set_password("wrong", i);
            return (void)server(i).ask("CLIENT KILL TYPE replica"), true;
        }
        if (order == "follow") return set_password("\"\"", i), true;
        if (order != "replaced") return false;
        if (!servers_.wait_until_replaced(i)) throw std::runtime_error{"no replica took over"};
        return true;
    }
    [[nodiscard]] std::size_t links() const override { return 0; }
    [[nodiscard]] std::size_t master() const override { return servers_.master(); }
    [[nodiscard]] std::string connect_string() const override { return servers_.connect_string(); }

private:
    [[nodiscard]] redis_server& server(std::size_t i) const { return servers_.server(i); }
    // Skips the master, which may be stopped.
    void set_password(const std::string& password, std::size_t master) const {
        for (std::size_t i = 0; i != count(); ++i)
            if (i != master && running(i)) (void)server(i).ask("CONFIG SET masterauth " + password);
    }

    mutable turnstile::testing::redis_sentinel servers_{{.replicas = 2}};
};

}  // namespace

std::unique_ptr<staged_servers> make_redis(const stage_settings& settings) {
    return std::make_unique<durable_redis>(settings);
}

std::unique_ptr<staged_servers> make_replicated_redis(const stage_settings& /*settings*/) {
    return std::make_unique<replicated_redis>();
}

std::unique_ptr<staged_servers> make_watched_redis(const stage_settings& /*settings*/) {
    return std::make_unique<watched_redis>();
}

}  // namespace campaign
