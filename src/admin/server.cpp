// SPDX-License-Identifier: Apache-2.0
#include "admin/server.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

#include "admin/api/front_desk.hpp"
#include "admin/http/http_server.hpp"
#include "admin/http/limits.hpp"

namespace turnstile::admin {
namespace {

constexpr std::size_t k_shortest_password = 8;
constexpr std::size_t k_shortest_token = 16;

constexpr const char* k_content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

secrets read_secrets(const server_options& options) {
    secrets known;
    if (!options.password_file.empty())
        known.password = read_secret_file(options.password_file, k_shortest_password);
    if (!options.token_file.empty())
        known.token = read_secret_file(options.token_file, k_shortest_token);
    if (!options.users_file.empty()) known.named = users::read(options.users_file);
    if (known.named.have_proxied() != !options.proxy.addresses.empty())
        throw std::runtime_error{
            known.named.have_proxied()
                ? options.users_file +
                      " has a line whose SECRET is 'proxy': give the address of the proxy with "
                      "--trust-proxy"
                : "--trust-proxy needs a line in --users-file whose SECRET is 'proxy'"};
    return known;
}

std::unique_ptr<const tls_context> tls_of(const server_options& options) {
    if (options.tls_certificate_file.empty()) return nullptr;
    return std::make_unique<tls_context>(options.tls_certificate_file, options.tls_key_file);
}

std::vector<http_header> headers_of_all_answers(bool encrypted) {
    std::vector<http_header> headers{{"Content-Security-Policy", k_content_policy},
                                     {"X-Content-Type-Options", "nosniff"},
                                     {"X-Frame-Options", "DENY"},
                                     {"Referrer-Policy", "no-referrer"},
                                     {"Cross-Origin-Opener-Policy", "same-origin"},
                                     {"Cross-Origin-Resource-Policy", "same-origin"},
                                     {"Cache-Control", "no-store"}};
    if (encrypted) headers.push_back({"Strict-Transport-Security", "max-age=31536000"});
    return headers;
}

http_settings web_settings(const server_options& options) {
    std::vector<std::string> names;
    for (const auto& name : options.names) names.push_back(without_scheme(name));
    return {.listen = options.listen,
            .names = std::move(names),
            .headers = headers_of_all_answers(!options.tls_certificate_file.empty()),
            .threads = k_answering_threads,
            .tls = tls_of(options)};
}

}  // namespace

void check(const server_options& options) {
    const bool secret = !options.password_file.empty() || !options.token_file.empty() ||
                        !options.users_file.empty();
    if (!is_loopback(options.listen) && !secret)
        throw std::runtime_error{
            to_string(options.listen) +
            " can be reached from other machines: give --users-file, --password-file or "
            "--token-file"};
    if (options.allow_changes && !secret)
        throw std::runtime_error{
            "--allow-changes lets the page take locks away: give --users-file, --password-file or "
            "--token-file"};
    if (options.tls_certificate_file.empty() != options.tls_key_file.empty())
        throw std::runtime_error{"--tls-cert and --tls-key go together: give both, or neither"};
}

class server::inside {
public:
    inside(client& servers, const std::string& connect_string, const server_options& options)
        : web_{web_settings(options)},
          encrypted_{!options.tls_certificate_file.empty()},
          entrance_{encrypted_, options.names, options.proxy},
          site_{servers,
                connect_string,
                !options.allow_changes,
                encrypted_,
                read_secrets(options),
                [this] { return web_.traffic(); },
                server_watch{connect_string},
                audit_log{options.audit_file},
                options.reading} {}

    [[nodiscard]] std::string url() const {
        return (encrypted_ ? "https://" : "http://") + to_string(web_.address()) + "/";
    }
    [[nodiscard]] bool run() {
        const std::jthread news{[this] { spread_news(); }};
        const bool good = web_.run(desk_);
        site_.reading.end();  // ends the thread `news`
        return good;
    }
    void end() {
        site_.stop.request_stop();
        site_.reading.end();
        site_.health.end();
        web_.end();
    }

private:
    void spread_news() {
        std::uint64_t known = 0;
        while (!site_.reading.over()) {
            known = site_.reading.wait_for_change(known);
            web_.wake_streams();
        }
    }

    http_server web_;
    const bool encrypted_;
    gate entrance_;
    site site_;
    front_desk desk_{site_, entrance_};
};

server::server(client& servers, const std::string& connect_string, const server_options& options)
    : inside_{(check(options), std::make_unique<inside>(servers, connect_string, options))} {}

server::~server() = default;

std::string server::url() const {
    return inside_->url();
}

bool server::run() {
    return inside_->run();
}

void server::end() {
    inside_->end();
}

}  // namespace turnstile::admin
