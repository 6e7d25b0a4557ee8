// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/ensemble.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace turnstile::testing {

namespace {

// A server of a quorum needs two ports besides the port for clients.
struct quorum_ports {
    std::uint16_t followers;
    std::uint16_t election;
};

std::string configuration(const ensemble_options& options) {
    std::ostringstream out;
    out << "tickTime=" << options.tick_time.count() << '\n'
        << "initLimit=" << options.init_limit << '\n'
        << "syncLimit=" << options.sync_limit << '\n'
        << "maxSessionTimeout=" << options.max_session_timeout.count() << '\n'
        << "maxClientCnxns=0\n"
        << "admin.enableServer=false\n"
        << "4lw.commands.whitelist=*\n";
    if (options.min_session_timeout.count() > 0) {
        out << "minSessionTimeout=" << options.min_session_timeout.count() << '\n';
    }
    if (!options.leader_serves) out << "leaderServes=no\n";
    for (const auto& line : options.config_lines) out << line << '\n';
    return out.str();
}

std::string quorum_configuration(const std::vector<quorum_ports>& quorum) {
    std::ostringstream out;
    for (std::size_t i = 0; i < quorum.size(); ++i) {
        out << "server." << i + 1 << "=127.0.0.1:" << quorum[i].followers << ':'
            << quorum[i].election << '\n';
    }
    return out.str();
}

std::vector<std::string> java_arguments(const ensemble_options& options) {
    std::vector<std::string> arguments{
        "-Xmx" + std::to_string(options.heap_mebibytes) + "m",
        "-Dznode.container.checkIntervalMs=" +
            std::to_string(options.container_check_interval.count()),
        "-Dzookeeper.preAllocSize=64",  // in KiB
        // With the default, elections wait ever longer for servers that start slowly.
        "-Dzookeeper.fastleader.maxNotificationInterval=500",
    };
    if (options.sync == disk_sync::off) arguments.emplace_back("-Dzookeeper.forceSync=no");
    if (options.jute_maxbuffer) {
        arguments.push_back("-Djute.maxbuffer=" + std::to_string(*options.jute_maxbuffer));
    }
    for (const auto& [name, value] : options.system_properties) {
        arguments.push_back("-D" + name + "=" + value);
    }
    return arguments;
}

std::string tail(const std::string& text) {
    constexpr std::size_t k_enough = 3000;
    return text.size() <= k_enough ? text : "..." + text.substr(text.size() - k_enough);
}

std::string condition(const zookeeper_server& server) {
    if (const auto code = server.exit_code()) return "ended with " + std::to_string(*code);
    if (!server.running()) return "never started";
    if (server.paused()) return "paused";
    const auto mode = server.mode();
    return mode.empty() ? "mute" : mode;
}

}  // namespace

ensemble::ensemble(ensemble_options options)
    : tick_time_{options.tick_time},
      sync_limit_{options.sync_limit},
      leader_serves_{options.leader_serves || options.count == 1},
      tls_{options.tls} {
    if (options.count != 1 && options.count != 3) {
        throw std::runtime_error{"an ensemble has 1 or 3 servers"};
    }
    std::string config = configuration(options);
    std::vector<quorum_ports> quorum;
    for (std::size_t i = 0; options.count > 1 && i < options.count; ++i) {
        const auto followers = ports_.emplace_back().number();
        quorum.push_back({followers, ports_.emplace_back().number()});
    }
    config += quorum_configuration(quorum);
    for (std::size_t i = 0; i < options.count; ++i) {
        const auto folder = folder_.path() / std::to_string(i);
        std::filesystem::create_directory(folder);
        servers_.push_back(std::make_unique<zookeeper_server>(
            zookeeper_server_options{.folder = folder,
                                     .client_port = ports_.emplace_back().number(),
                                     .config = config,
                                     .java_arguments = java_arguments(options),
                                     .id = quorum.empty() ? 0 : static_cast<int>(i) + 1,
                                     .data_from = options.data_from,
                                     .tls = options.tls}));
    }
    for (const auto& server : servers_) server->start();
    wait_until_serving();
    for (const auto& server : servers_) {
        if (!server->running()) throw std::runtime_error{"a server ended:" + report()};
    }
}

turnstile::lease_settings ensemble::lease_settings() const {
    turnstile::lease_settings settings;
    settings.tick = tick_time_;
    settings.sync_limit = sync_limit_;
    return settings;
}

std::string ensemble::connect_string() const {
    std::string all;
    for (const auto& server : servers_) all += (all.empty() ? "" : ",") + server->address();
    if (tls_) return "zookeepers://" + all + tls_->options_with("ca_file=" + tls_->authority);
    return all;
}

std::string ensemble::connect_string(std::size_t i) const {
    return server(i).connect_string();
}

void ensemble::kill(std::size_t i) {
    server(i).kill();
}
void ensemble::stop(std::size_t i) {
    server(i).stop();
}
void ensemble::start(std::size_t i) {
    server(i).start();
}
void ensemble::wipe(std::size_t i) {
    stop(i);
    server(i).wipe();
    start(i);
    wait_until_serving();
}

void ensemble::pause(std::size_t i) {
    server(i).pause();
}
void ensemble::resume(std::size_t i) {
    server(i).resume();
}

void ensemble::restart(std::size_t i) {
    stop(i);
    start(i);
    wait_until_serving();
}

std::optional<std::size_t> ensemble::leader() const {
    for (std::size_t i = 0; i < size(); ++i) {
        const auto mode = server(i).mode();
        if (mode == "leader" || mode == "standalone") return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> ensemble::follower() const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (server(i).mode() == "follower") return i;
    }
    return std::nullopt;
}

bool ensemble::serving() const {
    bool led = false;
    std::size_t mute = 0;
    for (const auto& server : servers_) {
        if (!server->running() || server->paused()) continue;
        const auto mode = server->mode();
        if (mode.empty()) ++mute;
        // If the leader serves no clients, a follower's answer shows that there is a leader.
        led = led || mode == (leader_serves_ ? "leader" : "follower") || mode == "standalone";
    }
    return led && mute == (leader_serves_ ? 0 : 1);
}

std::string ensemble::report() const {
    std::ostringstream out;
    for (std::size_t i = 0; i < size(); ++i) {
        const auto& member = server(i);
        out << "\nserver " << i << " at " << member.address() << ": " << condition(member) << "\n"
            << tail(member.log());
    }
    return out.str();
}

void ensemble::wait_until_serving(test_deadline until) const {
    const auto died = [this] {
        return std::none_of(servers_.begin(), servers_.end(),
                            [](const auto& server) { return server->running(); });
    };
    (void)eventually([&] { return serving() || died(); }, until);
    if (!serving()) throw std::runtime_error{"the servers do not serve:" + report()};
}

std::string ensemble::four_letter_word(std::size_t i, std::string_view word) const {
    return server(i).four_letter_word(word);
}

std::map<std::string, std::int64_t> ensemble::counters(std::size_t i) const {
    return server(i).counters();
}

}  // namespace turnstile::testing
