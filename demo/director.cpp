// SPDX-License-Identifier: Apache-2.0
#include "director.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <numeric>
#include <random>
#include <utility>

#include "settings.hpp"
#include "turnstile/client.hpp"
#include "turnstile/mutex.hpp"

namespace demo {

using std::chrono::milliseconds;
using turnstile::boottime_clock;

namespace {

volatile std::sig_atomic_t interrupted_by_signal = 0;

// How long anything may take before the demo gives up.
constexpr std::chrono::seconds k_patience{30};

// All sales together take about this long, however many items there are, so that there is enough
// stock left when the paused worker wakes, and the whole fits into a minute.
constexpr std::chrono::microseconds k_selling{4'000'000};

// The parts of the stock after which the three workers are disturbed.
constexpr double k_kill_after = 0.15;
constexpr double k_second_blow_after = 0.28;
constexpr double k_pause_after = 0.40;

// The server's clock and ours at the same moment, up to half a round trip: the time of creation that
// the server puts on a znode.
struct clock_reading {
    std::chrono::system_clock::time_point server;
    time_point ours;
};

clock_reading read_server_clock(const std::string& servers, const run_settings& settings) {
    turnstile::client client{servers, client_options_for(settings, "director")};
    client.wait_connected(k_patience).value();
    turnstile::mutex probe{client, "/demo/clock"};
    probe.acquire({.timeout = k_patience})
        .value()
        .release(k_patience)
        .value();  // makes the parents
    const auto before = boottime_clock::now();
    const auto hold = std::move(probe.acquire({.timeout = k_patience})).value();
    const auto after = boottime_clock::now();
    return {probe.holder().value()->created, before + (after - before) / 2};
}

}  // namespace

void director::interrupt() noexcept {
    interrupted_by_signal = 1;
}

director::director(const run_settings& settings, progress& shown)
    : settings_{settings}, shown_{shown}, server_{start_server(settings, scratch_.path())} {}

worker_settings director::make_folder(const std::string& name) {
    worker_settings worker;
    worker.folder = scratch_.path() / name;
    std::filesystem::create_directory(worker.folder);
    stock_file::create(worker.folder / k_stock_file, settings_.items);
    worker.work = k_selling / settings_.items;
    worker.run = settings_;
    return worker;
}

run_record director::sell_with_lock() {
    run_ = {};
    run_.settings = settings_;
    auto worker = make_folder("with-lock");
    worker.servers = server_->connect_string();
    const auto clock = read_server_clock(worker.servers, settings_);

    std::vector<int> victims(static_cast<std::size_t>(settings_.workers));
    std::iota(victims.begin(), victims.end(), 1);
    std::mt19937 random{settings_.seed};
    std::shuffle(victims.begin(), victims.end(), random);

    shown_.begin("with the lock", settings_.items);
    const bool guarded = words_of(settings_.servers).second == second_blow::guarded_kill;
    crew workers{worker, guarded ? victims[1] : 0};
    start(workers);
    run_.server_time = clock.server + std::chrono::duration_cast<std::chrono::milliseconds>(
                                          run_.began - clock.ours);
    const auto sold = [&](double part) {
        return [this, part] { return count(event_kind::sold) >= part * settings_.items; };
    };
    record_until(workers, sold(k_kill_after), "the first sales");
    kill_a_holder(workers, victims[0], event_kind::killed);
    record_until(workers, sold(k_second_blow_after), "sales after the kill");
    strike_again(workers, victims[1]);
    record_until(workers, sold(k_pause_after), "sales after the second blow");
    pause_a_holder(workers, victims[2]);
    finish(workers, worker.folder);
    return std::exchange(run_, {});
}

run_record director::sell_without_lock() {
    run_ = {};
    run_.settings = settings_;
    const auto worker = make_folder("without-lock");
    shown_.begin("without a lock", settings_.items);
    crew workers{worker};
    start(workers);
    finish(workers, worker.folder);
    return std::exchange(run_, {});
}

void director::start(crew& workers) {
    shown_.note("workers connect");
    record_until(
        workers, [&] { return count(event_kind::ready) == workers.size(); },
        "the workers to connect");
    shown_.note("");
    run_.began = boottime_clock::now();
    workers.tell_all(k_start);
}

void director::park(crew& workers, int victim) {
    workers.tell(victim, k_park);
    record_until(
        workers, [&] { return has(event_kind::parked, victim); },
        fmt::format("worker {} to hold the lock", victim));
}

void director::strike_again(crew& workers, int victim) {
    switch (words_of(settings_.servers).second) {
        case second_blow::guarded_kill:
            return kill_a_holder(workers, victim, event_kind::killed_guarded);
        case second_blow::plain_kill:
            return kill_a_holder(workers, victim, event_kind::killed_again);
        case second_blow::server_kill: return kill_the_server(workers, victim);
    }
}

// The holder goes on once the server is back, and nobody was granted the lock meanwhile.
void director::kill_the_server(crew& workers, int holder) {
    park(workers, holder);
    run_.events.push_back(
        {.kind = event_kind::server_killed, .worker = holder, .at = boottime_clock::now()});
    shown_.note(
        fmt::format("the server killed while worker {} holds; it is started again", holder));
    server_->kill();
    server_->start();
    run_.events.push_back(
        {.kind = event_kind::server_back, .worker = holder, .at = boottime_clock::now()});
    const auto back = run_.events.back().at;
    workers.tell(holder, k_go_on);
    record_until(
        workers, [&] { return granted_since(back); }, "a grant by the server that is back");
    shown_.note("");
}

void director::kill_a_holder(crew& workers, int victim, event_kind cause) {
    park(workers, victim);
    run_.events.push_back(workers.kill(victim));
    run_.events.back().kind = cause;
    const auto at = run_.events.back().at;
    shown_.note(fmt::format("worker {} killed while holding; {}", victim,
                            cause == event_kind::killed_guarded
                                ? "its guardian closes its session"
                                : words_of(settings_.servers).killed_note));
    record_until(
        workers, [&] { return granted_since(at); }, "the grant after the kill");
    shown_.note("");
}

void director::pause_a_holder(crew& workers, int victim) {
    park(workers, victim);
    run_.events.push_back(workers.pause(victim));
    const auto at = run_.events.back().at;
    shown_.note(fmt::format("worker {} stopped while holding; its session times out", victim));
    record_until(
        workers, [&] { return granted_since(at); }, "the grant after the pause began");
    // So that the others have certainly written with larger tokens when it wakes.
    const int enough = count(event_kind::sold) + std::max(3, settings_.items / 50);
    shown_.note(fmt::format("worker {} still stopped; the others sell on", victim));
    record_until(
        workers, [&] { return count(event_kind::sold) >= enough; }, "sales during the pause");
    workers.tell(victim, k_go_on);
    run_.events.push_back(workers.resume(victim));
    shown_.note(fmt::format("worker {} woken past its lease", victim));
}

void director::finish(crew& workers, const std::filesystem::path& folder) {
    record_until(
        workers,
        [&] {
            return count(event_kind::sold_out) + count(event_kind::killed) +
                       count(event_kind::killed_guarded) + count(event_kind::killed_again) ==
                   workers.size();
        },
        "the stock to be sold out");
    run_.ended = boottime_clock::now();
    shown_.update(count(event_kind::sold));
    shown_.finish();
    run_.sales = sales_file::read_all(folder / k_sales_file);
    run_.stock_left = stock_file{folder / k_stock_file}.read().left;
    std::stable_sort(run_.events.begin(), run_.events.end(),
                     [](const event& a, const event& b) { return a.at < b.at; });
}

void director::record_until(crew& workers, const std::function<bool()>& done,
                            const std::string& awaited) {
    constexpr milliseconds k_look_every{50};
    const auto deadline = boottime_clock::now() + k_patience;
    while (!done()) {
        if (interrupted_by_signal != 0) throw interrupted{};
        auto events = workers.listen(k_look_every);
        if (events.empty()) check_on(workers);
        for (auto& e : events) {
            if (e.kind == event_kind::failed) {
                throw std::runtime_error{fmt::format("worker {}: {}", e.worker, e.text)};
            }
            run_.events.push_back(std::move(e));
        }
        shown_.update(count(event_kind::sold));
        if (boottime_clock::now() > deadline) {
            throw std::runtime_error{
                fmt::format("waited {} s for {}", k_patience.count(), awaited)};
        }
    }
}

void director::check_on(const crew& workers) const {
    for (int i = 1; i <= workers.size(); ++i) {
        const bool ends = has(event_kind::killed, i) || has(event_kind::killed_guarded, i) ||
                          has(event_kind::killed_again, i) || has(event_kind::sold_out, i);
        if (workers.running(i) || ends) continue;
        throw std::runtime_error{fmt::format("worker {} ended: {}", i, workers.log(i))};
    }
}

bool director::has(event_kind kind, int worker) const {
    return std::any_of(run_.events.begin(), run_.events.end(),
                       [&](const event& e) { return e.kind == kind && e.worker == worker; });
}

int director::count(event_kind kind) const {
    return static_cast<int>(std::count_if(run_.events.begin(), run_.events.end(),
                                          [&](const event& e) { return e.kind == kind; }));
}

bool director::granted_since(time_point t) const {
    return std::any_of(run_.events.begin(), run_.events.end(),
                       [&](const event& e) { return e.kind == event_kind::granted && e.at > t; });
}

}  // namespace demo
