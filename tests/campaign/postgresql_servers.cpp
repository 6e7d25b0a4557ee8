// SPDX-License-Identifier: Apache-2.0
// The stage of a campaign (the process with the servers), with a single PostgreSQL server.
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "small_disk.hpp"
#include "staged_servers.hpp"
#include "turnstile/testing/postgres_server.hpp"

namespace campaign {
namespace {

// Each part of the write-ahead log is a new file, so a full disk affects the log, too. The small limits make
// checkpoints and a start after a kill fast.
constexpr const char* k_config =
    "wal_recycle = off\nmin_wal_size = 32MB\nmax_wal_size = 64MB\nlogging_collector = off\n";

class postgresql_server final : public staged_servers {
public:
    explicit postgresql_server(const stage_settings& settings) : server_{{.config = k_config}} {
        if (settings.small_disk_mib != 0) disk_.emplace(server_.folder(), settings.small_disk_mib);
        server_.start();
    }
    ~postgresql_server() override { server_.kill(); }
    postgresql_server(const postgresql_server&) = delete;
    postgresql_server& operator=(const postgresql_server&) = delete;

    [[nodiscard]] std::size_t count() const override { return 1; }
    [[nodiscard]] std::string address(std::size_t /*i*/) const override {
        return "127.0.0.1:" + std::to_string(server_.port());
    }
    [[nodiscard]] fs::path folder(std::size_t /*i*/) const override { return server_.folder(); }
    void kill(std::size_t /*i*/) override { server_.kill(); }
    void stop(std::size_t /*i*/) override { server_.stop(); }
    void start(std::size_t /*i*/) override { wait_until_serving(); }
    void pause(std::size_t /*i*/) override { server_.pause(); }
    void resume(std::size_t /*i*/) override { server_.resume(); }
    [[nodiscard]] bool running(std::size_t /*i*/) const override { return server_.running(); }
    // Restarts a server that ended because its disk was full. The first start fails if the old process still runs.
    void wait_until_serving() override {
        const bool serves = turnstile::testing::eventually([&] {
            try {
                server_.start();
                return server_.run_sql("SELECT 1") == "1\n";
            } catch (const std::runtime_error&) {
                return false;
            }
        });
        if (!serves) throw std::runtime_error{"PostgreSQL does not serve:\n" + server_.log()};
    }

    // Order "sql IN,OUT": executes the statements of the file IN and writes their output to the file OUT.
    bool carry_out(const std::string& order, std::size_t /*i*/, const std::string& rest) override {
        if (order != "sql") return false;
        const auto comma = rest.find(',');
        std::ifstream in{rest.substr(0, comma)};
        std::ofstream out{rest.substr(comma + 1)};
        out << server_.run_sql({std::istreambuf_iterator<char>{in}, {}}) << std::flush;
        return out.good();
    }

private:
    turnstile::testing::postgres_server server_;
    std::optional<small_disk> disk_;
};

}  // namespace

std::unique_ptr<staged_servers> make_postgresql(const stage_settings& settings) {
    return std::make_unique<postgresql_server>(settings);
}

}  // namespace campaign
