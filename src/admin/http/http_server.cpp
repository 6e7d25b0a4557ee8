// SPDX-License-Identifier: Apache-2.0
#include "admin/http/http_server.hpp"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <map>
#include <utility>

#include "admin/http/connection.hpp"
#include "admin/http/connection_table.hpp"
#include "admin/http/entrance.hpp"
#include "admin/http/limits.hpp"
#include "admin/http/rate_limit.hpp"

namespace turnstile::admin {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t k_accepted_at_once = 64;  // before other connections get a turn
constexpr std::chrono::milliseconds k_pause_without_descriptors{100};

// True if descriptors or memory are exhausted, which may be temporary.
bool is_shortage(int error) noexcept {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool is_fatal(int error) noexcept {
    return error == EBADF || error == EINVAL || error == ENOTSOCK || error == EFAULT;
}

}  // namespace

class http_server::inside : public connection_host {
public:
    explicit inside(http_settings settings)
        : settings_{std::move(settings)},
          entrance_{host_names{settings_.names}},
          listening_{loop_, open_listening_socket(settings_.listen).release()},
          crew_{settings_.threads} {}

    [[nodiscard]] const listen_address& address() const noexcept { return settings_.listen; }

    [[nodiscard]] bool run(http_service& service) {
        service_ = &service;
        accept();
        loop_.run();
        crew_.join();
        return good_;
    }
    void end() {
        asio::post(loop_, [this] { begin_end(); });
    }
    void wake_streams() {
        if (streams_ == 0 || is_waking_.exchange(true)) return;
        asio::post(loop_, [this] {
            is_waking_ = false;
            for_each([](connection& each) { each.wake(); });
        });
    }
    [[nodiscard]] http_traffic traffic() const noexcept {
        return {open_count_, streams_, answered_, refused_};
    }

    boottime_clock::duration turn_of(const connection& from) override {
        return requests_.turn(from.from().key, boottime_clock::now());
    }
    http_plan admit(const http_request& head) override {
        entrance_.check(head);
        return service_->admit(head);
    }
    void answer(http_request request, const http_plan& plan,
                std::shared_ptr<connection> to) override {
        if (!plan.waits) return to->give(answer_to(request, plan));
        if (under_way_ == k_most_waiting_answers)
            return to->give(
                describe({503, "busy", "too many requests wait for an answer; try again later"}));
        ++under_way_;
        asio::post(crew_, [this, guard = asio::make_work_guard(loop_), request = std::move(request),
                           plan, to = std::move(to)]() mutable {
            auto response = answer_to(request, plan);
            asio::post(loop_, [this, to = std::move(to), response = std::move(response)]() mutable {
                --under_way_;
                to->give(std::move(response));
            });
        });
    }
    http_response describe(const refusal& why) override {
        ++refused_;
        return service_->describe(why);
    }
    const std::vector<http_header>& common_headers() const override { return settings_.headers; }
    bool begin_stream(const connection& from) override {
        if (streams_ == k_most_event_streams) return false;
        auto& own = streams_of_[from.from().key];
        if (own == k_most_event_streams_of_address) return false;
        ++own;
        ++streams_;
        return true;
    }
    void end_stream(const connection& from) override {
        const auto own = streams_of_.find(from.from().key);
        if (--own->second == 0) streams_of_.erase(own);
        --streams_;
    }
    void set_idle(const connection& which, bool idle) override {
        table_.set_idle(which.from().id, idle);
    }
    void forget(const connection& which) override {
        table_.remove(which.from().id);
        open_.erase(which.from().id);
        open_count_ = open_.size();
        if (ending_ && open_.empty()) drain_.cancel();
    }
    bool is_ending() const override { return ending_; }

private:
    void accept() {
        listening_.async_wait(asio::posix::stream_descriptor::wait_read,
                              [this](const error_code& error) {
                                  if (error || ending_) return;
                                  const int reason = accept_some();
                                  if (is_fatal(reason)) {
                                      good_ = false;
                                      return begin_end();
                                  }
                                  if (!is_shortage(reason)) return accept();
                                  pause_.expires_after(k_pause_without_descriptors);
                                  pause_.async_wait([this](const error_code& stopped) {
                                      if (!stopped && !ending_) accept();
                                  });
                              });
    }
    // Accepts connections. Returns 0 if more connections may wait, otherwise an errno value.
    [[nodiscard]] int accept_some() {
        for (std::size_t i = 0; i != k_accepted_at_once; ++i) {
            auto socket = accept_connection(listening_.native_handle());
            if (!socket.open() && errno != ECONNABORTED && errno != EINTR) return errno;
            if (socket.open() && !welcome(std::move(socket))) return ENOMEM;
        }
        return 0;
    }
    [[nodiscard]] bool welcome(support::descriptor socket) {
        try {
            admit_connection(std::move(socket));
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }
    void admit_connection(support::descriptor socket) {
        const auto peer = peer_end(socket.get());
        const auto here = own_end(socket.get());
        if (!peer || !here) return;  // the client has disconnected already
        auto key = peer_key(peer->host);
        const auto place = table_.admit(key);
        if (place.dropped)
            if (const auto found = open_.find(*place.dropped); found != open_.end())
                std::shared_ptr {
                    found->second
                    } -> close();
        if (!place.id) return;
        const auto added = std::make_shared<connection>(
            connection::origin{*place.id, std::move(key), peer->host, *here,
                               settings_.tls != nullptr},
            make_wire(loop_, std::move(socket), settings_.tls.get()), *this, loop_);
        open_.emplace(*place.id, added);
        open_count_ = open_.size();
        added->start();
    }
    // Called on the loop's thread or on a worker thread.
    [[nodiscard]] http_response answer_to(const http_request& request, const http_plan& plan) {
        try {
            auto response = service_->answer(request, plan);
            ++answered_;
            return response;
        } catch (const refusal& why) {
            return describe(why);
        } catch (const std::exception&) {
            return describe(
                {500, "failure", "the server could not answer, because of an internal error"});
        }
    }
    void begin_end() {
        if (std::exchange(ending_, true)) return;
        error_code ignored;
        listening_.close(ignored);
        pause_.cancel();
        for_each([](connection& each) { each.end(); });
        if (open_.empty()) return;
        drain_.expires_after(k_drain_time);
        drain_.async_wait([this](const error_code& stopped) {
            if (!stopped) for_each([](connection& each) { each.close(); });
        });
    }
    // Iterates over a copy, because `call` may close a connection and remove it.
    template <class Call>
    void for_each(const Call& call) {
        const auto all = open_;
        for (const auto& [id, each] : all) call(*each);
    }

    http_settings settings_;
    const entrance entrance_;
    http_service* service_ = nullptr;
    asio::io_context loop_{1};
    asio::posix::stream_descriptor listening_;
    asio::steady_timer pause_{loop_};
    asio::steady_timer drain_{loop_};
    bool ending_ = false;
    bool good_ = true;

    connection_table table_{{.most = k_most_connections,
                             .most_of_address = k_most_connections_of_address,
                             .kept = k_kept_connections}};
    std::map<std::uint64_t, std::shared_ptr<connection>> open_;
    std::map<std::string, std::size_t> streams_of_;
    rate_limit requests_{{.per_second = k_requests_per_second, .at_once = k_requests_at_once}};
    std::size_t under_way_ = 0;  // answers that the crew is computing

    std::atomic<bool> is_waking_{false};
    std::atomic<std::size_t> open_count_{0};
    std::atomic<std::size_t> streams_{0};
    std::atomic<std::uint64_t> answered_{0};
    std::atomic<std::uint64_t> refused_{0};
    asio::thread_pool crew_;
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
