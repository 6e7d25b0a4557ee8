// SPDX-License-Identifier: Apache-2.0
// The stage of a campaign (the process with the servers), with a single MariaDB server.
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "small_disk.hpp"
#include "staged_servers.hpp"
#include "turnstile/testing/mariadb_server.hpp"

namespace campaign {
namespace {

// With innodb-autoinc-lock-mode=2, the rows that the triggers of audit_mariadb.sql insert get numbers without a lock on
// the table. All tables are in one file, which grows in steps of one mebibyte. So on a full disk neither a table nor an
// undo log can grow.
turnstile::testing::mariadb_server_options options() {
    return {.options = {"--innodb-autoinc-lock-mode=2", "--innodb-file-per-table=0",
                        "--innodb-autoextend-increment=1"}};
}

class mariadb_server final : public staged_servers {
public:
    explicit mariadb_server(const stage_settings& settings) : server_{options()} {
        if (settings.small_disk_mib != 0) disk_.emplace(all_files(), settings.small_disk_mib);
        server_.start();
    }
    ~mariadb_server() override { server_.kill(); }
    mariadb_server(const mariadb_server&) = delete;
    mariadb_server& operator=(const mariadb_server&) = delete;

    [[nodiscard]] std::size_t count() const override { return 1; }
    [[nodiscard]] std::string address(std::size_t /*i*/) const override {
        return "127.0.0.1:" + std::to_string(server_.port());
    }
    [[nodiscard]] fs::path folder(std::size_t /*i*/) const override { return all_files(); }
    void kill(std::size_t /*i*/) override { server_.kill(); }
    void stop(std::size_t /*i*/) override { server_.stop(); }
    void start(std::size_t /*i*/) override { wait_until_serving(); }
    void pause(std::size_t /*i*/) override { server_.pause(); }
    void resume(std::size_t /*i*/) override { server_.resume(); }
    [[nodiscard]] bool running(std::size_t /*i*/) const override { return server_.running(); }
    // Restarts a server that ended because its disk was full. The first start fails if the old process still runs.
    void wait_until_serving() override {
        std::string why;
        const bool serves = turnstile::testing::eventually([&] {
            try {
                server_.start();
                return server_.run_sql("SELECT 1") == "1\n";
            } catch (const std::runtime_error& e) {
                why = e.what();
                return false;
            }
        });
        if (!serves) throw std::runtime_error{"MariaDB does not serve: " + why};
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
    // The folder that contains the server's home and its log. The socket is in the home.
    [[nodiscard]] fs::path all_files() const {
        return server_.socket().parent_path().parent_path();
    }

    turnstile::testing::mariadb_server server_;
    std::optional<small_disk> disk_;
};

}  // namespace

std::unique_ptr<staged_servers> make_mariadb(const stage_settings& settings) {
    return std::make_unique<mariadb_server>(settings);
}

}  // namespace campaign
