// SPDX-License-Identifier: Apache-2.0
#include "private_server.hpp"

#include <stdexcept>
#include <utility>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/redis_server.hpp"

namespace demo {

namespace {

class zookeeper final : public private_server {
public:
    explicit zookeeper(const run_settings& settings) : servers_{options(settings)} {}
    [[nodiscard]] std::string connect_string() const override { return servers_.connect_string(); }

private:
    static turnstile::testing::ensemble_options options(const run_settings& settings) {
        turnstile::testing::ensemble_options all;
        all.tick_time = settings.tick;
        return all;
    }

    turnstile::testing::ensemble servers_;
};

// One of the kit's servers that keep what they answered.
template <class Server>
class kit_server final : public private_server {
public:
    template <class... Options>
    explicit kit_server(Options&&... options) : server_{std::forward<Options>(options)...} {
        server_.start();
    }
    [[nodiscard]] std::string connect_string() const override { return server_.connect_string(); }
    void kill() override { server_.kill(); }
    void start() override { server_.start(); }

private:
    Server server_;
};

class file final : public private_server {
public:
    explicit file(const std::filesystem::path& folder)
        : connect_string_{"sqlite:" + (folder / "locks.db").string()} {}
    [[nodiscard]] std::string connect_string() const override { return connect_string_; }

private:
    std::string connect_string_;
};

}  // namespace

std::unique_ptr<private_server> start_server(const run_settings& settings,
                                             const std::filesystem::path& scratch) {
    namespace kit = turnstile::testing;
    switch (settings.servers) {
        case server_kind::zookeeper: return std::make_unique<zookeeper>(settings);
        case server_kind::redis:
            return std::make_unique<kit_server<kit::redis_server>>(
                kit::redis_server_options{.config = "appendonly yes\nappendfsync always\n"});
        case server_kind::postgresql: return std::make_unique<kit_server<kit::postgres_server>>();
        case server_kind::mariadb: return std::make_unique<kit_server<kit::mariadb_server>>();
        case server_kind::sqlite: return std::make_unique<file>(scratch);
    }
    throw std::logic_error{"no such kind of server"};
}

}  // namespace demo
