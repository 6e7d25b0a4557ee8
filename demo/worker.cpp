// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <fstream>
#include <iostream>
#include <mutex>
#include <random>
#include <string_view>
#include <thread>

#include "processes.hpp"
#include "turnstile/client.hpp"
#include "turnstile/mutex.hpp"

namespace demo {
namespace {

using turnstile::boottime_clock;
using turnstile::fencing_token;
using turnstile::guard;

constexpr std::chrono::seconds k_limit{30};

// Reads the commands of demo.py in a thread. This thread ends the process when demo.py has ended, so a reader is never
// destroyed.
class command_reader {
public:
    command_reader() {
        std::thread{[this] {
            for (std::string line; std::getline(std::cin, line);) {
                const std::lock_guard locked{mutex_};
                last_ = line;
                changed_.notify_all();
            }
            ::_exit(3);  // no work is left, and destructors might wait
        }}.detach();
    }

    void wait_for(std::string_view command) {
        std::unique_lock locked{mutex_};
        changed_.wait(locked, [&] { return last_ == command; });
        last_.clear();
    }
    bool take(std::string_view command) {
        const std::lock_guard locked{mutex_};
        if (last_ != command) return false;
        last_.clear();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string last_;  // latest command that nothing has consumed yet; guarded by mutex_
};

// The file with the remaining stock and the largest token of all writers so far: "left 499 token 0x1a". write_fenced()
// refuses a write with a smaller token, because that write comes too late.
class stock_file {
public:
    explicit stock_file(std::filesystem::path path) : path_{std::move(path)} {}

    int left() { return read().first; }
    void write(int left, fencing_token token) const {
        // All records have the same length, and one call writes a record. So a reader never sees parts of two records.
        std::fstream{path_} << fmt::format("{:<63}\n",
                                           fmt::format("left {} token {}", left, token.to_string()))
                            << std::flush;
    }
    // Writes the record and returns an empty text. If the file has a larger token, returns that token and writes
    // nothing.
    std::string write_fenced(int left, fencing_token token) {
        const auto highest = read().second;
        if (token < highest) return highest.to_string();
        write(left, token);
        return {};
    }

private:
    std::pair<int, fencing_token> read() {
        std::ifstream in{path_};
        std::string word;
        std::string token;
        int left = 0;
        if (!(in >> word >> left >> word >> token))
            throw std::runtime_error{path_.string() + ": no stock"};
        return {left, fencing_token::parse(token).value()};
    }

    std::filesystem::path path_;
};

struct event {
    std::string_view kind;
    fencing_token token{};
    std::int64_t number = 0;
    std::uint64_t epoch = 0;
    std::string text{};
};

// The functions and the data that a worker needs both with the lock and without it.
class salesman {
public:
    explicit salesman(const settings& given)
        : given_{given},
          random_{given.seed + static_cast<std::uint32_t>(given.index)},
          stock{given.folder / "stock"} {}

    // Prints the event as one line. A line is shorter than PIPE_BUF, so it cannot mix with another line.
    void report(const event& told) const {
        const auto line = fmt::format("{} {} {} {} {} {} {}\n", told.kind, given_.index,
                                      boottime_clock::now().time_since_epoch().count(),
                                      told.token.to_string(), told.number, told.epoch, told.text);
        if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(3);
    }
    void wait_for_start() {
        report({.kind = "ready"});
        commands.wait_for("start");
    }
    // Waits between reading the stock and writing it: 0.5 to 1.5 times the mean time.
    void work() {
        std::this_thread::sleep_for(given_.work *
                                    std::uniform_real_distribution<double>{0.5, 1.5}(random_));
    }
    void write_down(int item, fencing_token token) const {
        std::ofstream{given_.folder / "sales", std::ios::app}
            << fmt::format("{} {} {}\n", item, given_.index, token.to_string()) << std::flush;
        report({.kind = "sold", .token = token, .number = item});
    }

private:
    const settings& given_;
    std::mt19937 random_;

public:
    command_reader& commands = *new command_reader;
    stock_file stock;
};

// Sells an item while the worker holds the lock. Returns false if no item was left.
bool sell_one(salesman& self, const guard& hold) {
    const auto token = hold.fencing_token();
    const int item = self.stock.left();
    if (item <= 0) return false;
    self.work();
    if (self.commands.take("park")) {
        self.report({.kind = "parked", .token = token, .number = item});
        self.commands.wait_for("go");
    }
    // A careful program would stop when its hold is no longer valid. This program only reports that and still writes,
    // to show that the token protects the stock: a pause may follow directly after any check.
    if (!hold.valid())
        self.report({.kind = "lost",
                     .token = token,
                     .number = hold.valid_until().time_since_epoch().count()});
    const auto refused = self.stock.write_fenced(item - 1, token);
    if (refused.empty())
        self.write_down(item, token);
    else
        self.report({.kind = "refused", .token = token, .number = item, .text = refused});
    return true;
}

// Returns the sequence number at the end of a contender's name.
std::int64_t sequence_of(std::string_view znode) {
    std::int64_t number = -1;
    const auto digits = znode.substr(znode.size() - std::min<std::size_t>(10, znode.size()));
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

void sell_with_lock(salesman& self, const settings& given) {
    turnstile::client_options options;
    options.session_timeout = given.session_timeout;
    options.lease.tick = given.tick;
    options.label = fmt::format("worker {}", given.index);
    if (!given.guardian.empty())
        options.guardian = {turnstile::guardian_use::started, given.guardian};
    turnstile::client servers{given.servers, options};
    turnstile::mutex lock{servers, "/demo/stock"};
    servers.wait_connected(k_limit).value();
    self.wait_for_start();
    for (bool more = true; more;) {
        self.report({.kind = "asked"});
        auto hold = lock.acquire({.timeout = k_limit}).value();
        self.report({.kind = "granted",
                     .token = hold.fencing_token(),
                     .number = sequence_of(hold.znode()),
                     .epoch = servers.session().epoch});
        more = sell_one(self, hold);
        self.report({.kind = "released", .token = hold.fencing_token()});
        hold.unlock();
    }
    servers.close();
}

void sell_without_lock(salesman& self) {
    self.wait_for_start();
    for (int item = self.stock.left(); item > 0; item = self.stock.left()) {
        self.work();
        self.stock.write(item - 1, {});
        self.write_down(item, {});
    }
}

}  // namespace

int run_worker(const settings& given) {
    salesman self{given};
    given.servers.empty() ? sell_without_lock(self) : sell_with_lock(self, given);
    self.report({.kind = "sold_out"});
    return 0;
}

}  // namespace demo
