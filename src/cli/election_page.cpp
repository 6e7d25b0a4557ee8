// SPDX-License-Identifier: Apache-2.0
#include "cli/election_page.hpp"

#include <charconv>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "admin/http/http_server.hpp"
#include "cli/election_answers.hpp"

namespace turnstile::cli {

std::optional<http_address> parse_http_address(std::string_view text) {
    http_address address;
    const auto colon = text.rfind(':');
    const auto digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
    auto host = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, address.port);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    // Refuses an IPv6 address without brackets, because its last part could be a port.
    if (!bracketed && host.find_first_of(":[]") != std::string_view::npos) return std::nullopt;
    if (!host.empty()) address.host = host;
    return address;
}

std::string to_string(const http_address& address) {
    const bool brackets = address.host.find(':') != std::string::npos;
    return (brackets ? "[" + address.host + "]" : address.host) + ":" +
           std::to_string(address.port);
}

namespace {

constexpr std::chrono::milliseconds k_fresh{1'000};
// By default, a Kubernetes probe waits for one second, so the page must answer sooner.
constexpr std::chrono::milliseconds k_patience{700};
constexpr std::chrono::milliseconds k_no_patience{1};

// Reads the queue at most once a second. One read answers all requests that waited for it. Otherwise each request would
// use up its own timeout while the servers do not answer.
class queue_reader {
public:
    queue_reader(const leader& seat, const client& servers) : seat_{seat}, servers_{servers} {}

    // Returns only this machine's own state, without waiting for the servers.
    [[nodiscard]] election_view own_view() const {
        election_view now;
        add_own(now);
        return now;
    }
    // Returns the election's queue and this machine's own state. May wait for the servers. Reads the own state after
    // the queue, so that it is not older than the queue.
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
        // The queue's age counts from the request, because the answer may show the queue as it was at that time.
        asked_ = boottime_clock::now();
        queue_ = seat_.participants({.timeout = is_connected() ? k_patience : k_no_patience});
        fresh_until_ = boottime_clock::now() + k_fresh;
    }
    // Returns true if a session is connected. Without a connected session, a read of the queue waits for its time limit
    // and then fails. So read() sets the shortest time limit, k_no_patience.
    [[nodiscard]] bool is_connected() const {
        for (std::size_t i = 0; i != servers_.session_count(); ++i)
            if (servers_.session(i).state == session_state::connected) return true;
        return false;
    }
    [[nodiscard]] bool stands_in(const std::vector<participant>& queue) const {
        for (std::size_t i = 0; i != servers_.session_count(); ++i)
            for (const auto& each : queue)
                if (each.session_id == servers_.session(i).id && each.id == seat_.id()) return true;
        return false;
    }

    const leader& seat_;
    const client& servers_;
    std::mutex mutex_;  // guards the members below
    boottime_clock::time_point asked_{};
    boottime_clock::time_point fresh_until_{};
    result<std::vector<participant>> queue_ = std::vector<participant>{};
};

enum class asks { this_machine, the_queue };

struct page_route {
    std::string_view path;
    http_answer (*compose)(const election_view&);
    asks question;
};

constexpr page_route k_routes[] = {{"/leader", leader_answer, asks::the_queue},
                                   {"/isLeader", is_leader_answer, asks::this_machine},
                                   {"/healthz", health_answer, asks::the_queue},
                                   {"/metrics", metrics_answer, asks::the_queue}};

const page_route& route_of(const admin::http_request& asked) {
    const auto path = std::string_view{asked.target}.substr(0, asked.target.find('?'));
    for (const auto& each : k_routes)
        if (each.path == path) return each;
    throw admin::refusal{404, "not_found",
                         std::string{path} + ": this server has nothing at this path"};
}

class election_service : public admin::http_service {
public:
    election_service(const leader& seat, const client& servers) : queue_{seat, servers} {}

    [[nodiscard]] admin::http_plan admit(const admin::http_request& head) override {
        if (head.method == "POST")
            throw admin::refusal{405, "method", "POST: expected GET or HEAD"};
        const auto& route = route_of(head);
        // A leader is healthy even if the servers do not answer, so its probe does not wait for them.
        const bool is_known = route.question == asks::this_machine ||
                              (route.path == "/healthz" && queue_.own_view().leads);
        return {.largest_body = 0, .waits = !is_known};
    }
    [[nodiscard]] admin::http_response answer(const admin::http_request& asked,
                                              const admin::http_plan& plan) override {
        auto said = route_of(asked).compose(plan.waits ? queue_.view() : queue_.own_view());
        return {said.status, std::move(said.type), std::move(said.body)};
    }

private:
    queue_reader queue_;
};

}  // namespace

class election_page::listener {
public:
    listener(const http_address& where, std::vector<std::string> names, const leader& seat,
             const client& servers)
        : service_{seat, servers},
          server_{
              {.listen = {where.host, where.port},
               .names = std::move(names),
               .headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}}}},
          thread_{[this] { static_cast<void>(server_.run(service_)); }} {}
    ~listener() {
        server_.end();
        thread_.join();
    }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    [[nodiscard]] http_address address() const {
        return {server_.address().host, server_.address().port};
    }

private:
    election_service service_;
    admin::http_server server_;
    std::thread thread_;
};

election_page::election_page(const http_address& where, std::vector<std::string> names,
                             const leader& seat, const client& servers)
    : listener_{std::make_unique<listener>(where, std::move(names), seat, servers)} {}

election_page::~election_page() = default;

http_address election_page::address() const {
    return listener_->address();
}

}  // namespace turnstile::cli
