// SPDX-License-Identifier: Apache-2.0
#include "cli/election_page.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "admin/http/http_server.hpp"
#include "cli/election_answers.hpp"

namespace turnstile::cli {
namespace {

constexpr std::chrono::milliseconds k_fresh{1'000};
constexpr std::chrono::milliseconds k_patience{2'000};

// The queue, read anew a second after the last read has ended. What that brought answers all requests that waited for
// it: else each of them would wait for a time-out of its own while the servers are away.
class queue_reader {
public:
    queue_reader(const leader_election& seat, const client& servers)
        : seat_{seat}, servers_{servers} {}

    // Of this machine alone, at once.
    [[nodiscard]] election_view own_view() const {
        election_view now;
        add_own(now);
        return now;
    }
    // With the queue, which may be waited for: what this machine is is asked behind it.
    [[nodiscard]] election_view view() {
        election_view now;
        add_queue(now);
        add_own(now);
        return now;
    }

private:
    void add_own(election_view& now) const {
        now.path = seat_.path();
        now.id = seat_.id();
        now.leads = seat_.leads();
        now.terms = seat_.terms();
        now.counters = servers_.counters();
    }
    void add_queue(election_view& now) {
        const std::scoped_lock lock{mutex_};
        if (boottime_clock::now() >= fresh_until_) read();
        now.queue_age =
            std::chrono::duration_cast<std::chrono::milliseconds>(boottime_clock::now() - asked_);
        if (queue_) {
            now.queue = *queue_;
            now.queued = stands_in(*queue_);
        } else {
            now.why_no_queue = queue_.error().message();
        }
    }
    void read() {
        // What it says may be as old as the question.
        asked_ = boottime_clock::now();
        queue_ = seat_.participants({.timeout = k_patience});
        fresh_until_ = boottime_clock::now() + k_fresh;
    }
    [[nodiscard]] bool stands_in(const std::vector<participant>& queue) const {
        for (std::size_t i = 0; i != servers_.session_count(); ++i)
            for (const auto& each : queue)
                if (each.session_id == servers_.session(i).id && each.id == seat_.id()) return true;
        return false;
    }

    const leader_election& seat_;
    const client& servers_;
    std::mutex mutex_;  // of what follows
    boottime_clock::time_point asked_{};
    boottime_clock::time_point fresh_until_{};
    result<std::vector<participant>> queue_ = std::vector<participant>{};
};

}  // namespace

class election_page::listener {
public:
    listener(const http_address& where, const leader_election& seat, const client& servers)
        : queue_{seat, servers}, address_{where} {
        answer("/leader", leader_answer, asks::the_queue);
        answer("/isLeader", is_leader_answer, asks::this_machine);
        answer("/healthz", health_answer, asks::the_queue);
        answer("/metrics", metrics_answer, asks::the_queue);
        address_.port = server_.bind({address_.host, address_.port}).port;
        thread_ = std::thread{[this] {
            server_.listen_after_bind();
            ended_ = true;
        }};
    }
    ~listener() {
        // A server that does not listen yet would not hear of the end.
        while (!server_.is_running() && !ended_)
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        server_.end();
        thread_.join();
    }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] const http_address& address() const noexcept { return address_; }

private:
    enum class asks { this_machine, the_queue };
    void answer(const char* path, http_answer (*compose)(const election_view&), asks question) {
        server_.Get(path, [this, compose, question](const httplib::Request& /*asked*/,
                                                    httplib::Response& reply) {
            const auto said =
                compose(question == asks::the_queue ? queue_.view() : queue_.own_view());
            reply.status = said.status;
            reply.set_header("Cache-Control", "no-store");
            reply.set_content(said.body, said.type);
        });
    }

    queue_reader queue_;
    http_address address_;
    // A connection has a thread of its own and a request a deadline: clients that are slow keep no probe waiting.
    admin::http_server server_{nullptr};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

election_page::election_page(const http_address& where, const leader_election& seat,
                             const client& servers)
    : listener_{std::make_unique<listener>(where, seat, servers)} {}

election_page::~election_page() = default;

http_address election_page::address() const noexcept {
    return listener_->address();
}

}  // namespace turnstile::cli
