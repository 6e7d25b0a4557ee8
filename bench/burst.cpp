// SPDX-License-Identifier: Apache-2.0
// Measures how long many simultaneous acquires of one client take. During the acquires the client also has another
// hold, and the program measures the shortest remaining time of that hold's lease.
//
//     turnstile_bench_burst KIND DELAY COUNT TIMEOUT     KIND: zookeeper, redis, postgresql or mariadb
//
// A proxy delays each message by DELAY milliseconds in each direction. A client with a session timeout of TIMEOUT
// milliseconds has one hold. The client begins COUNT acquires at once, in three phases:
//
//     first      acquires COUNT free locks that never existed, and releases each lock at once
//     again      does the same with the same locks
//     waiting    requests one lock that another client holds; when all acquires are in the lock's queue, they give up
//
// Prints a line of JSON: for each phase its duration in seconds, and the shortest remaining time of the hold's lease in
// milliseconds. Ends with an error if a grant fails or the hold is lost.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <latch>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distant_server.hpp"
#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::bench;
using std::chrono::milliseconds;

// Limit of each phase. A phase that takes longer ends the program with an error.
constexpr auto k_limit = 5min;

turnstile::client_options with_timeout(milliseconds session_timeout) {
    turnstile::client_options options;
    options.session_timeout = session_timeout;
    return options;
}

// Records the shortest remaining time of a hold's lease since the construction of this object.
class lowest_rest {
public:
    explicit lowest_rest(const turnstile::guard& hold)
        : watcher_{[this, &hold](const std::stop_token& stop) {
              while (!stop.stop_requested()) {
                  note(std::chrono::duration_cast<milliseconds>(hold.remaining()));
                  std::this_thread::sleep_for(1ms);
              }
          }} {}

    milliseconds so_far() const { return milliseconds{lowest_.load()}; }

private:
    void note(milliseconds rest) { lowest_ = std::min(lowest_.load(), rest.count()); }

    std::atomic<milliseconds::rep> lowest_{milliseconds::max().count()};
    std::jthread watcher_;
};

class burst {
public:
    burst(const std::string& servers, int count, milliseconds session_timeout)
        : caller_{servers, with_timeout(session_timeout)},
          other_{servers, with_timeout(30s)},
          kept_{caller_, "/burst/kept"},
          contended_{caller_, "/burst/contended"} {
        caller_.wait_connected(1min).value();
        hold_ = kept_.acquire(1min).value();
        for (int i = 0; i != count; ++i)
            locks_.push_back(std::make_unique<turnstile::mutex>(
                caller_, "/burst/locks/lock-" + std::to_string(i)));
    }

    std::string json(const std::string& kind, milliseconds delay) {
        auto text = "{\"kind\":\"" + kind + "\",\"delay_ms\":" + std::to_string(delay.count()) +
                    ",\"count\":" + std::to_string(count());
        text += phase("first", [this] { acquire_all(); });
        text += phase("again", [this] { acquire_all(); });
        turnstile::mutex theirs{other_, "/burst/contended"};
        const auto in_the_way = theirs.acquire(1min).value();
        text += phase("waiting", [this] { wait_for_one(); });
        hold_.release(1min).value();
        return text + "}";
    }

private:
    template <class Work>
    std::string phase(const std::string& name, const Work& work) {
        const lowest_rest rest{hold_};
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
        if (!hold_.valid()) throw std::runtime_error{"the hold was lost in the phase " + name};
        return ",\"" + name + "\":{\"seconds\":" + std::to_string(lasted.count()) +
               ",\"lowest_rest_ms\":" + std::to_string(rest.so_far().count()) + "}";
    }

    void acquire_all() {
        std::latch open{count()};
        std::atomic<int> failed{0};
        for (const auto& lock : locks_) {
            lock->async_acquire({.timeout = k_limit}, [&](turnstile::result<turnstile::guard> r) {
                if (r.has_value())
                    r->unlock();
                else
                    ++failed;
                open.count_down();
            });
        }
        open.wait();
        if (failed != 0) throw std::runtime_error{std::to_string(failed) + " acquires failed"};
    }

    void wait_for_one() {
        std::latch entering{count()};
        std::latch open{count()};
        std::atomic<int> refused{0};
        std::stop_source give_up;
        turnstile::acquire_options options;
        options.timeout = k_limit;
        options.stop = give_up.get_token();
        options.on_entered = [&](const std::string&) { entering.count_down(); };
        for (int i = 0; i != count(); ++i) {
            contended_.async_acquire(options, [&](const turnstile::result<turnstile::guard>& r) {
                // The error too_many means that COUNT exceeds the contenders that the client's sessions allow together.
                if (!r.has_value() && r.error() == turnstile::errc::too_many) {
                    ++refused;
                    entering.count_down();
                }
                open.count_down();
            });
        }
        entering.wait();
        give_up.request_stop();
        open.wait();
        if (refused != 0) throw std::runtime_error{std::to_string(refused) + " were refused"};
    }

    [[nodiscard]] int count() const { return static_cast<int>(locks_.size()); }

    turnstile::client caller_;
    turnstile::client other_;
    turnstile::mutex kept_;
    turnstile::mutex contended_;
    turnstile::guard hold_;
    std::vector<std::unique_ptr<turnstile::mutex>> locks_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 5) throw std::invalid_argument{"expected KIND DELAY COUNT TIMEOUT"};
        const std::string kind = argv[1];
        const milliseconds delay{number_from(0, argv[2])};
        const auto far = start(kind, delay);
        burst measured{far.connect_string, number_from(1, argv[3]),
                       milliseconds{number_from(1, argv[4])}};
        std::cout << measured.json(kind, delay) << '\n';
        return 0;
    } catch (const std::exception& failure) {
        std::cerr << "turnstile_bench_burst: " << failure.what() << '\n';
        return 2;
    }
}
