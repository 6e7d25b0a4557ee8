// SPDX-License-Identifier: Apache-2.0
#include "admin/server.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

#include "admin/api/front_desk.hpp"
#include "admin/http/http_server.hpp"

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
    return known;
}

std::unique_ptr<const tls_context> tls_of(const server_options& options) {
    if (options.tls_certificate_file.empty()) return nullptr;
    return std::make_unique<tls_context>(options.tls_certificate_file, options.tls_key_file);
}

httplib::Headers headers_of_all_answers(bool encrypted) {
    httplib::Headers headers{{"Content-Security-Policy", k_content_policy},
                             {"X-Content-Type-Options", "nosniff"},
                             {"X-Frame-Options", "DENY"},
                             {"Referrer-Policy", "no-referrer"},
                             {"Cross-Origin-Opener-Policy", "same-origin"},
                             {"Cross-Origin-Resource-Policy", "same-origin"},
                             {"Cache-Control", "no-store"}};
    if (encrypted) headers.emplace("Strict-Transport-Security", "max-age=31536000");
    return headers;
}

}  // namespace

void check(const server_options& options) {
    const bool secret = !options.password_file.empty() || !options.token_file.empty();
    if (!is_loopback(options.listen) && !secret)
        throw std::runtime_error{
            to_string(options.listen) +
            " can be reached from other machines: give --password-file or --token-file"};
    if (options.allow_changes && !secret)
        throw std::runtime_error{
            "--allow-changes lets the page take locks away: give --password-file or --token-file"};
    if (options.tls_certificate_file.empty() != options.tls_key_file.empty())
        throw std::runtime_error{"--tls-cert and --tls-key go together: give both, or neither"};
}

class server::inside {
public:
    inside(client& servers, const std::string& connect_string, const server_options& options)
        : web_{tls_of(options)},
          address_{web_.bind(options.listen)},
          encrypted_{!options.tls_certificate_file.empty()},
          entrance_{origin_rule{address_, options.names}, encrypted_},
          site_{servers,
                connect_string,
                !options.allow_changes,
                encrypted_,
                read_secrets(options),
                [this] { return web_.connections(); },
                server_watch{connect_string},
                audit_log{options.audit_file},
                options.reading} {
        answer_requests();
    }

    [[nodiscard]] std::string url() const {
        return (encrypted_ ? "https://" : "http://") + to_string(address_) + "/";
    }
    [[nodiscard]] bool run() {
        const bool good = web_.listen_after_bind();
        over_ = true;
        return good;
    }
    void end() {
        // cpp-httplib forgets a stop that comes before it listens.
        while (!web_.is_running() && !over_) std::this_thread::yield();
        site_.stop.request_stop();
        site_.reading.end();
        site_.health.end();
        web_.end();
    }

private:
    void answer_requests() {
        using outcome = httplib::Server::HandlerResponse;
        const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
            desk_.answer(request, response);
        };
        web_.set_default_headers(headers_of_all_answers(encrypted_));
        web_.set_pre_routing_handler(
            [this](const httplib::Request& request, httplib::Response& response) {
                return desk_.refuses(request, response) ? outcome::Handled : outcome::Unhandled;
            });
        web_.Get(".*", answer);
        web_.Post(".*", answer);
        web_.set_error_handler(front_desk::describe_failure);
        web_.set_exception_handler([](const auto&, httplib::Response& response, auto) {
            response.status = 500;  // the error handler says so
        });
    }

    std::atomic<bool> over_{false};
    http_server web_;
    const listen_address address_;
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
