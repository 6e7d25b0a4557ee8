// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/zookeeper_server.hpp"

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "servers/java_runtime.hpp"
#include "turnstile/server_health.hpp"
#include "turnstile/testing/four_letter_word.hpp"

namespace turnstile::testing {

namespace {

constexpr const char* k_main_class = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

std::vector<std::string> server_command(const zookeeper_server_options& options) {
    std::vector<std::string> command{detail::find_java()};
    const auto lean = detail::lean_arguments();
    command.insert(command.end(), lean.begin(), lean.end());
    command.insert(command.end(), options.java_arguments.begin(), options.java_arguments.end());
    command.insert(command.end(), {"-cp",
                                   detail::class_path(options.tls ? detail::jars::server_with_tls
                                                                  : detail::jars::server),
                                   k_main_class, options.folder / "zoo.cfg"});
    return command;
}

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out{file};
    out << text << std::flush;
    if (!out)
        throw std::system_error{EIO, std::generic_category(), "cannot write " + file.string()};
}

std::string port_lines(const zookeeper_server_options& options) {
    const auto port = std::to_string(options.client_port);
    if (!options.tls) return "clientPortAddress=127.0.0.1\nclientPort=" + port + "\n";
    return "secureClientPortAddress=127.0.0.1\nsecureClientPort=" + port +
           "\nserverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory"
           "\nssl.keyStore.type=PEM\nssl.trustStore.type=PEM\nssl.keyStore.location=" +
           options.tls->key_store + "\nssl.trustStore.location=" + options.tls->authority +
           "\nssl.clientAuth=" + (options.tls->client_certificates ? "need" : "none") + "\n";
}

std::string parse_mode(const std::string& srvr) {
    constexpr std::string_view k_key = "Mode: ";
    const auto at = srvr.find(k_key);
    if (at == std::string::npos) return {};
    const auto begin = at + k_key.size();
    return srvr.substr(begin, srvr.find('\n', begin) - begin);
}

}  // namespace

std::string server_tls::options_with(const std::string& option) const {
    auto text = "?" + option;
    if (!client_certificate.empty())
        text += "&cert_file=" + client_certificate + "&key_file=" + client_key;
    return text;
}

zookeeper_server::zookeeper_server(zookeeper_server_options options)
    : options_{std::move(options)},
      data_{options_.folder / "data"},
      log_{options_.folder / "log"},
      command_{server_command(options_)} {
    std::filesystem::create_directory(data_);
    if (!options_.data_from.empty()) {
        std::filesystem::copy(options_.data_from, data_, std::filesystem::copy_options::recursive);
    }
    write_file(options_.folder / "zoo.cfg",
               options_.config + port_lines(options_) + "dataDir=" + data_.string() + "\n");
    if (options_.id != 0) write_file(data_ / "myid", std::to_string(options_.id) + "\n");
}

void zookeeper_server::start() {
    if (running()) return;
    paused_ = false;
    process_.emplace(
        process_options{.command = command_, .output = log_, .folder = options_.folder});
}

void zookeeper_server::stop() {
    if (!process_) return;
    process_->terminate();
    // Kills a server that does not end in time.
    (void)process_->wait();
    kill();
}

void zookeeper_server::kill() {
    if (process_) process_->kill();
    paused_ = false;
}

void zookeeper_server::wipe() {
    if (running()) throw std::logic_error{"wipe: the server runs"};
    std::filesystem::remove_all(data_ / "version-2");
}

void zookeeper_server::pause() {
    if (!process_) return;
    paused_ = true;
    process_->pause();
}

void zookeeper_server::resume() {
    if (process_) process_->resume();
    paused_ = false;
}

bool zookeeper_server::running() const {
    return process_ && process_->running();
}

std::optional<int> zookeeper_server::exit_code() const {
    return process_ ? process_->exit_code() : std::nullopt;
}

std::string zookeeper_server::address() const {
    return "127.0.0.1:" + std::to_string(options_.client_port);
}

std::string zookeeper_server::connect_string() const {
    if (options_.tls)
        return "zookeepers://" + address() +
               options_.tls->options_with("ca_file=" + options_.tls->authority);
    return address();
}

std::string zookeeper_server::log() const {
    std::ifstream file{log_};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string zookeeper_server::mode() const {
    using namespace std::chrono_literals;
    if (!running() || paused()) return {};
    try {
        return parse_mode(four_letter_word("srvr", 2s));
    } catch (const std::system_error&) {
        return {};  // the server does not listen yet, or is too busy
    }
}

std::string zookeeper_server::four_letter_word(std::string_view word, test_deadline until) const {
    if (!options_.tls)
        return testing::four_letter_word("127.0.0.1", options_.client_port, word, until);
    // This class trusts any certificate, even a certificate that clients must refuse.
    auto answers =
        answers_of_servers("zookeepers://" + address() + options_.tls->options_with("verify=none"),
                           word, until.remaining())
            .value();
    if (answers.empty() || answers.front().text.empty())
        throw std::system_error{
            ETIMEDOUT, std::generic_category(),
            "no answer over TLS" + (answers.empty() ? "" : ": " + answers.front().problem)};
    return std::move(answers.front().text);
}

std::map<std::string, std::int64_t> zookeeper_server::counters() const {
    return parse_counters(four_letter_word("mntr"));
}

}  // namespace turnstile::testing
