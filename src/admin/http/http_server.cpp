// SPDX-License-Identifier: Apache-2.0
#include "admin/http/http_server.hpp"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "admin/http/connection.hpp"
#include "admin/http/entrance.hpp"
#include "admin/http/limits.hpp"
#include "admin/http/rate_limit.hpp"
#include "admin/http/thread_crew.hpp"

namespace turnstile::admin {
namespace {

constexpr std::string_view k_too_many =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
    "Connection: close\r\n\r\n";
constexpr int k_backlog = 128;
constexpr std::chrono::seconds k_stream_tick{1};

thread_local bool last_answer = false;

http_request request_of(const httplib::Request& asked, bool encrypted) {
    http_request request{.method = asked.method, .target = asked.target};
    for (const auto& [name, value] : asked.headers)
        if (name != "REMOTE_ADDR" && name != "REMOTE_PORT" && name != "LOCAL_ADDR" &&
            name != "LOCAL_PORT")
            request.headers.push_back({name, value});
    request.body = asked.body;
    request.peer = asked.remote_addr;
    request.here = {asked.local_addr, static_cast<std::uint16_t>(asked.local_port)};
    request.encrypted = encrypted;
    return request;
}

}  // namespace

class http_server::inside : public httplib::Server {
public:
    explicit inside(http_settings settings)
        : settings_{std::move(settings)}, entrance_{host_names{settings_.names}} {
        constexpr std::size_t k_refusing = 4;
        new_task_queue = [] { return new thread_crew{k_most_connections + k_refusing}; };
        set_payload_max_length(k_largest_body);
        set_tcp_nodelay(true);
        set_socket_options([](socket_t socket) {
            constexpr int k_yes = 1;
            ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &k_yes, sizeof k_yes);
        });
        bind();
    }
    [[nodiscard]] const listen_address& address() const { return settings_.listen; }
    bool run(http_service& service) {
        using outcome = httplib::Server::HandlerResponse;
        service_ = &service;
        set_pre_routing_handler([this](const auto& asked, auto& reply) {
            return refuses(asked, reply) ? outcome::Handled : outcome::Unhandled;
        });
        const auto handler = [this](const auto& asked, auto& reply) { answer_to(asked, reply); };
        Get(".*", handler);
        Post(".*", handler);
        set_error_handler([this](const httplib::Request&, httplib::Response& reply) {
            if (!reply.body.empty() || reply.status == 304) return;
            close_behind(reply);
            refuse({reply.status, reply.status >= 500 ? "failure" : "bad_request",
                    "the request is not understood"},
                   reply);
        });
        set_exception_handler([](const auto&, auto& reply, auto) { reply.status = 500; });
        {
            const std::lock_guard lock{mutex_};
            if (over_) return true;
        }
        return listen_after_bind();
    }
    void end() {
        {
            const std::lock_guard lock{mutex_};
            over_ = true;
            for (const auto each : open_) ::shutdown(each, SHUT_RDWR);
        }
        wake_streams();
        if (is_running()) stop();
        ::shutdown(svr_sock_, SHUT_RDWR);
    }
    void wake_streams() {
        const std::lock_guard lock{mutex_};
        ++wakes_;
        woken_.notify_all();
    }
    [[nodiscard]] http_traffic traffic() const {
        const std::lock_guard lock{mutex_};
        return {open_.size(), streams_, answered_, refused_};
    }

private:
    void bind() {
        auto& where = settings_.listen;
        const int port = where.port == 0                        ? bind_to_any_port(where.host)
                         : bind_to_port(where.host, where.port) ? where.port
                                                                : -1;
        if (port <= 0)
            throw std::runtime_error{to_string(where) +
                                     ": cannot listen there; another program may, or the address "
                                     "is not this machine's"};
        ::listen(svr_sock_, k_backlog);
        where.port = static_cast<std::uint16_t>(port);
    }
    static void close_behind(httplib::Response& reply) {
        reply.set_header("Connection", "close");
        last_answer = true;
    }
    void refuse(const refusal& why, httplib::Response& reply) {
        ++refused_;
        give(service_->describe(why), reply);
    }
    void give(http_response answer, httplib::Response& reply) {
        reply.status = answer.status;
        for (const auto& each : settings_.headers) reply.headers.emplace(each.name, each.value);
        for (const auto& each : answer.headers) {
            reply.headers.erase(each.name);
            reply.headers.emplace(each.name, each.value);
        }
        if (!answer.stream) {
            if (!answer.type.empty()) reply.set_content(answer.body, answer.type);
            return;
        }
        const std::shared_ptr<http_stream> stream = std::move(answer.stream);
        begin_stream();
        const std::shared_ptr<void> counted{nullptr, [this](void*) { end_stream(); }};
        reply.set_chunked_content_provider(
            answer.type, [this, stream, counted](std::size_t, httplib::DataSink& sink) {
                const auto part = stream->next();
                if (!part) sink.done();
                if (part && part->empty()) pause();
                return !part || part->empty() || sink.write(part->data(), part->size());
            });
    }
    void begin_stream() {
        const std::lock_guard lock{mutex_};
        if (streams_ >= k_most_event_streams)
            throw refusal{429, "too_many", "too many pages are open; close some"};
        ++streams_;
    }
    void end_stream() {
        const std::lock_guard lock{mutex_};
        --streams_;
    }
    void pause() {
        std::unique_lock lock{mutex_};
        woken_.wait_for(lock, k_stream_tick, [&, known = wakes_] { return wakes_ != known; });
    }
    void check(const http_request& head) {
        {
            const std::lock_guard lock{mutex_};
            if (!requests_.take(head.peer, boottime_clock::now()))
                throw refusal{429, "too_many", "too many requests from " + head.peer};
        }
        entrance_.check(head);
    }
    bool refuses(const httplib::Request& asked, httplib::Response& reply) {
        const auto head = request_of(asked, settings_.tls != nullptr);
        try {
            check(head);
            static_cast<void>(service_->admit(head));
            return false;
        } catch (const refusal& why) {
            refuse(why, reply);
            const auto length = head.header("Content-Length");
            if (head.count("Transfer-Encoding") != 0 || (!length.empty() && length != "0"))
                close_behind(reply);  // the body stays unread
            return true;
        }
    }
    void answer_to(const httplib::Request& asked, httplib::Response& reply) {
        const auto request = request_of(asked, settings_.tls != nullptr);
        try {
            give(service_->answer(request, service_->admit(request)), reply);
            ++answered_;
        } catch (const refusal& why) {
            refuse(why, reply);
        }
    }
    bool admit(socket_t socket) {
        const std::lock_guard lock{mutex_};
        if (over_ || open_.size() >= k_most_connections) return false;
        open_.insert(socket);
        return true;
    }
    void dismiss(socket_t socket) {
        const std::lock_guard lock{mutex_};
        open_.erase(socket);
        ::shutdown(socket, SHUT_RDWR);
        ::close(socket);
    }
    void serve(socket_t socket) {
        connection link{socket};
        if (settings_.tls && !link.start_tls(*settings_.tls)) return;
        for (auto left = k_most_requests_kept_alive; left != 0 && link.wait_for_request(); --left) {
            bool closed = false;
            last_answer = false;
            if (!process_request(link, left == 1, closed, nullptr) || closed || last_answer) return;
        }
    }
    bool process_and_close_socket(socket_t socket) override {
        if (!admit(socket)) {
            if (!settings_.tls) ::send(socket, k_too_many.data(), k_too_many.size(), MSG_NOSIGNAL);
            ::shutdown(socket, SHUT_RDWR);
            ::close(socket);
            return false;
        }
        serve(socket);
        dismiss(socket);
        return true;
    }

    http_settings settings_;
    const entrance entrance_;
    http_service* service_ = nullptr;
    mutable std::mutex mutex_;
    std::condition_variable woken_;
    std::uint64_t wakes_ = 0;
    std::set<socket_t> open_;
    bool over_ = false;
    std::size_t streams_ = 0;
    std::atomic<std::uint64_t> answered_{0};
    std::atomic<std::uint64_t> refused_{0};
    rate_limit requests_{{.per_second = k_requests_per_second, .at_once = k_requests_at_once}};
};

http_server::http_server(http_settings settings)
    : inside_{std::make_unique<inside>(std::move(settings))} {}

http_server::~http_server() = default;

const listen_address& http_server::address() const noexcept {
    return inside_->address();
}

bool http_server::run(http_service& service) {
    return inside_->run(service);
}

void http_server::end() {
    inside_->end();
}

void http_server::wake_streams() {
    inside_->wake_streams();
}

http_traffic http_server::traffic() const {
    return inside_->traffic();
}

}  // namespace turnstile::admin
