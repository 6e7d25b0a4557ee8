// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "command_reader.hpp"
#include "events.hpp"
#include "settings.hpp"
#include "stock_file.hpp"
#include "turnstile/client.hpp"
#include "turnstile/mutex.hpp"

namespace demo {

using turnstile::boottime_clock;
using turnstile::fencing_token;
using turnstile::guard;

namespace {

// The number at the end of a contender znode's name, which the servers gave it.
std::int64_t sequence_of(std::string_view znode) {
    constexpr std::size_t k_digits = 10;
    std::int64_t number = -1;
    if (znode.size() < k_digits) return number;
    const auto digits = znode.substr(znode.size() - k_digits);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

// What selling with and without the lock have in common.
class salesman {
public:
    explicit salesman(const worker_settings& settings)
        : settings_{settings},
          commands_{*new command_reader{command_pipe(settings.folder, settings.index)}},
          reports_{settings.folder / k_events_pipe, O_WRONLY},
          stock_{settings.folder / k_stock_file},
          sales_{settings.folder / k_sales_file},
          random_{settings.run.seed + static_cast<std::uint32_t>(settings.index)} {}

    void report(event e) {
        e.worker = settings_.index;
        e.at = boottime_clock::now();
        const auto line = to_line(e) + "\n";
        if (::write(reports_.descriptor(), line.data(), line.size()) < 0) {
            throw std::runtime_error{"cannot report to the director"};
        }
    }

    void wait_for_start() {
        report({.kind = event_kind::ready});
        commands_.wait_for(k_start);
    }

    // The time between reading the stock and writing it back: a half to one and a half of the mean.
    void work() {
        std::uniform_real_distribution<double> part{0.5, 1.5};
        std::this_thread::sleep_for(settings_.work * part(random_));
    }

    command_reader& commands() { return commands_; }
    stock_file& stock() { return stock_; }
    void write_down(int item, fencing_token token) {
        sales_.append({item, settings_.index, token});
        report({.kind = event_kind::sold, .token = token, .number = item});
    }

private:
    const worker_settings& settings_;
    command_reader& commands_;  // lives as long as the process
    open_file reports_;
    stock_file stock_;
    sales_file sales_;
    std::mt19937 random_;
};

// The critical section. Returns false when there was nothing left to sell.
bool sell_one(salesman& self, const guard& hold) {
    const auto token = hold.fencing_token();
    const int item = self.stock().read().left;
    if (item <= 0) return false;
    self.work();
    if (self.commands().take(k_park)) {
        self.report({.kind = event_kind::parked, .token = token, .number = item});
        self.commands().wait_for(k_go_on);
    }
    // A careful program stops at once when its hold is not valid any more. This one only says so
    // and writes all the same: a pause may come right after any check, and then it is the token that
    // keeps the stock safe.
    if (!hold.valid()) {
        const auto until = hold.valid_until().time_since_epoch().count();
        self.report({.kind = event_kind::lost, .token = token, .number = until});
    }
    if (const auto highest = self.stock().write_fenced(item - 1, token)) {
        self.report({.kind = event_kind::refused,
                     .token = token,
                     .number = item,
                     .text = highest->to_string()});
    } else {
        self.write_down(item, token);
    }
    return true;
}

int sell_with_lock(salesman& self, const worker_settings& settings) {
    auto options = client_options_for(settings.run, fmt::format("worker {}", settings.index));
    if (!settings.guardian.empty())
        options.guardian = {turnstile::guardian_use::started, settings.guardian};
    turnstile::client servers{settings.servers, options};
    turnstile::mutex lock{servers, k_lock_path};
    constexpr std::chrono::seconds k_limit{30};
    servers.wait_connected(k_limit).value();
    self.wait_for_start();
    for (bool more = true; more;) {
        self.report({.kind = event_kind::asked});
        auto hold = lock.acquire({.timeout = k_limit});
        if (!hold) {
            self.report({.kind = event_kind::failed, .text = hold.error().message()});
            return 1;
        }
        self.report({.kind = event_kind::granted,
                     .token = hold->fencing_token(),
                     .number = sequence_of(hold->znode()),
                     .epoch = servers.session().epoch});
        more = sell_one(self, *hold);
        self.report({.kind = event_kind::released, .token = hold->fencing_token()});
        hold->unlock();
    }
    self.report({.kind = event_kind::sold_out});
    servers.close();
    return 0;
}

int sell_without_lock(salesman& self) {
    self.wait_for_start();
    for (;;) {
        const int item = self.stock().read().left;
        if (item <= 0) break;
        self.work();
        self.stock().write({item - 1, {}});
        self.write_down(item, {});
    }
    self.report({.kind = event_kind::sold_out});
    return 0;
}

}  // namespace

std::filesystem::path command_pipe(const std::filesystem::path& folder, int index) {
    return folder / fmt::format("commands-{}", index);
}

int run_worker(const worker_settings& settings) {
    try {
        salesman self{settings};
        return settings.servers.empty() ? sell_without_lock(self) : sell_with_lock(self, settings);
    } catch (const std::exception& e) {
        std::cerr << "worker " << settings.index << ": " << e.what() << '\n';
        return 1;
    }
}

}  // namespace demo
