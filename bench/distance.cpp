// SPDX-License-Identifier: Apache-2.0
// Measures how many round trips each call takes. The program derives this number from the duration of the call over a
// connection with a long delay.
//
//     turnstile_bench_distance KIND DELAY ROUNDS     KIND: zookeeper, redis, postgresql or mariadb
//
// A proxy delays each message by DELAY milliseconds in each direction, so one round trip takes 2 * DELAY. The program
// starts the server itself. Prints a line of JSON: for each call the median of its ROUNDS times, as a number of round
// trips. A call that waits for no answer of a server takes 0.
#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distant_server.hpp"
#include "turnstile/transaction.hpp"
#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;
using namespace turnstile::bench;
using clock_type = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

double time_of(const std::function<void()>& call) {
    const auto begin = clock_type::now();
    call();
    return milliseconds{clock_type::now() - begin}.count();
}

double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

struct measured_call {
    std::string name;
    std::vector<double> times{};
};

// Waits until the client has read the answers that earlier calls did not wait for, such as the answer to a removal.
void settle(std::chrono::milliseconds delay) {
    std::this_thread::sleep_for(8 * delay + 20ms);
}

class distance {
public:
    distance(const std::string& servers, std::chrono::milliseconds delay)
        : delay_{delay}, caller_{servers, options()}, waiter_{servers, options()} {
        caller_.wait_connected(1min).value();
        waiter_.wait_connected(1min).value();
    }

    void run(int round) {
        const auto path = "/distance/lock-" + std::to_string(round);
        turnstile::mutex lock{caller_, path};
        turnstile::mutex theirs{waiter_, path};
        turnstile::guard hold;
        note(first_, [&] { hold = lock.acquire().value(); });  // this also creates the folder
        hold.release().value();
        for (int again = 0; again != 3; ++again) {
            settle(delay_);
            note(again_, [&] { hold = lock.acquire().value(); });
            settle(delay_);
            note(release_, [&] { hold.release().value(); });
        }
        settle(delay_);
        hold = lock.acquire().value();
        settle(delay_);
        const auto node = "/distance/data-" + std::to_string(round);
        note(commit_, [&] { hold.commit(turnstile::transaction{}.create(node, "1")).value(); });
        settle(delay_);
        hand_over(std::move(hold), theirs);
        settle(delay_);
        several(round);
    }

    std::string json(const std::string& kind) const {
        std::string text = "{\"kind\":\"" + kind +
                           "\",\"delay_ms\":" + std::to_string(delay_.count()) + ",\"trips\":{";
        for (const auto* each : {&first_, &again_, &release_, &hand_over_, &commit_, &several_}) {
            if (text.back() != '{') text += ',';
            text += '"' + each->name + "\":" +
                    std::to_string(median(each->times) / static_cast<double>(2 * delay_.count()));
        }
        return text + "}}";
    }

private:
    static turnstile::client_options options() {
        turnstile::client_options all;
        all.session_timeout = 30s;
        return all;
    }

    static void note(measured_call& call, const std::function<void()>& work) {
        call.times.push_back(time_of(work));
    }

    // Measures the time from the holder's call of release() to the waiter's grant.
    void hand_over(turnstile::guard hold, turnstile::mutex& theirs) {
        std::promise<clock_type::time_point> granted;
        auto waits = std::async(std::launch::async, [&] {
            const auto mine = theirs.acquire().value();
            granted.set_value(clock_type::now());
        });
        while (theirs.queue().value().size() < 2) std::this_thread::sleep_for(1ms);
        settle(delay_);
        const auto begin = clock_type::now();
        hold.unlock();
        const auto end = granted.get_future().get();
        waits.get();
        hand_over_.times.push_back(milliseconds{end - begin}.count());
    }

    void several(int round) {
        std::vector<std::unique_ptr<turnstile::mutex>> locks;
        std::vector<turnstile::any_lock> all;
        for (int i = 0; i != 10; ++i) {
            locks.push_back(std::make_unique<turnstile::mutex>(
                caller_, "/distance/part-" + std::to_string(round) + '-' + std::to_string(i)));
            locks.back()->acquire().value().release().value();
            all.emplace_back(*locks.back());
        }
        turnstile::multi_lock together{std::move(all)};
        settle(delay_);
        turnstile::guard hold;
        note(several_, [&] { hold = together.acquire().value(); });
        settle(delay_);
    }

    std::chrono::milliseconds delay_;
    turnstile::client caller_;
    turnstile::client waiter_;
    measured_call first_{"first_acquire"};
    measured_call again_{"acquire"};
    measured_call release_{"release"};
    measured_call hand_over_{"hand_over"};
    measured_call commit_{"commit"};
    measured_call several_{"multi_lock_of_ten"};
};

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 4) throw std::invalid_argument{"expected KIND DELAY ROUNDS"};
        const std::string kind = argv[1];
        const std::chrono::milliseconds delay{number_from(1, argv[2])};
        const auto far = start(kind, delay);
        distance measured{far.connect_string, delay};
        for (int round = 0; round != number_from(1, argv[3]); ++round) measured.run(round);
        std::cout << measured.json(kind) << '\n';
        return 0;
    } catch (const std::exception& failure) {
        std::cerr << "turnstile_bench_distance: " << failure.what() << '\n';
        return 2;
    }
}
