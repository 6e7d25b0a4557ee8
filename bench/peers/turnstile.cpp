// Peer "turnstile": turnstile::mutex, strict, with the library's default options.
//
//     idle COUNT                  COUNT mutex objects more, each with a path of its own
//     pend PATH COUNT PATHS       COUNT acquires that stay pending, on PATH/I for I below PATHS, which
//                                 somebody else holds; returns when they are asked for:
//                                 mutex_bytes=N, of the heap for the mutex objects
//     heap                        heap=BYTES in use, rss=BYTES resident; what ended one of them is the
//                                 answer instead
//     cancel                      cancels them: us=N until the last handler ran, cancelled=N
#include <malloc.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "protocol.hpp"
#include "turnstile/turnstile.hpp"
#include "turnstile/version.hpp"

namespace {

using bench::arguments;
using bench::number;

// Counts what happens on the callbacks' thread, and keeps what went wrong there.
class tally {
public:
    void add() {
        const std::lock_guard held{mutex_};
        ++count_;
        changed_.notify_one();
    }
    void fail(const std::string& why) {
        const std::lock_guard held{mutex_};
        failure_ = why;
        changed_.notify_one();
    }
    void wait(std::int64_t count) {
        std::unique_lock held{mutex_};
        changed_.wait(held, [&] { return count_ >= count || failure_.has_value(); });
        if (failure_) throw std::runtime_error{*failure_};
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t count_ = 0;
    std::optional<std::string> failure_;
};

void take_and_give_up(turnstile::mutex& lock, bench::grant_count& count) {
    const auto hold = lock.acquire().value();
    count.granted();
}

// Each waiter releases as soon as it is granted.
std::string drain(turnstile::mutex& lock, std::int64_t count) {
    const auto queued = std::make_shared<tally>();
    const auto granted = std::make_shared<tally>();
    const auto start = bench::now_us();
    auto first = lock.acquire().value();
    for (std::int64_t i = 0; i < count; ++i) {
        turnstile::acquire_options options;
        options.on_queued = [queued, told = false](std::size_t) mutable {
            if (!std::exchange(told, true)) queued->add();
        };
        lock.async_acquire(std::move(options),
                           [queued, granted](const turnstile::result<turnstile::guard>& hold) {
                               if (hold) return granted->add();
                               queued->fail(hold.error().message());
                               granted->fail(hold.error().message());
                           });
    }
    queued->wait(count);
    const auto full = bench::now_us();
    first.unlock();
    granted->wait(count);
    return "us=" + std::to_string(bench::now_us() - full) +
           " enqueue_us=" + std::to_string(full - start);
}

std::size_t heap_bytes() {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

std::size_t resident_bytes() {
    std::size_t total = 0;
    std::size_t resident = 0;
    std::ifstream{"/proc/self/statm"} >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class pending_crowd {
public:
    explicit pending_crowd(const turnstile::client& servers) : servers_{servers} {}

    std::string pend(const std::string& path, std::int64_t count, std::int64_t paths) {
        const auto before = heap_bytes();
        for (std::int64_t i = 0; i < paths; ++i)
            locks_.push_back(
                std::make_unique<turnstile::mutex>(servers_, path + "/" + std::to_string(i)));
        const auto after = heap_bytes();
        for (std::int64_t i = 0; i < count; ++i) {
            turnstile::acquire_options options;
            options.stop = stop_.get_token();
            auto& lock = *locks_[static_cast<std::size_t>(i % paths)];
            lock.async_acquire(std::move(options),
                               [this](const turnstile::result<turnstile::guard>& hold) {
                                   if (hold) return ended_.fail("granted, though held by another");
                                   if (hold.error() != turnstile::errc::cancelled)
                                       ended_.fail(hold.error().message());
                                   ended_.add();
                               });
        }
        count_ += count;
        return "mutex_bytes=" + std::to_string(after - before);
    }

    // Throws what ended an acquire that should be pending.
    void require_pending() { ended_.wait(0); }

    std::string cancel() {
        const auto start = bench::now_us();
        stop_.request_stop();
        ended_.wait(count_);
        return "us=" + std::to_string(bench::now_us() - start) +
               " cancelled=" + std::to_string(count_);
    }

private:
    const turnstile::client& servers_;
    std::vector<std::unique_ptr<turnstile::mutex>> locks_;
    std::stop_source stop_;
    tally ended_;
    std::int64_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: turnstile CONNECT\n";
        return 2;
    }
    // Outlives the client, whose close() ends the pending acquires.
    std::unique_ptr<pending_crowd> crowd;
    turnstile::client servers{argv[1]};
    crowd = std::make_unique<pending_crowd>(servers);
    servers.wait_connected(std::chrono::seconds{30}).value();
    std::vector<std::unique_ptr<turnstile::mutex>> idle;
    const auto lock_at = [&](const arguments& given) {
        return turnstile::mutex{servers, given.at(0)};
    };

    bench::serve(TURNSTILE_VERSION,
                 {{"cycle",
                   [&](const arguments& given) {
                       auto lock = lock_at(given);
                       return bench::timed(number(given.at(1)),
                                           [&] { lock.acquire().value().release().value(); });
                   }},
                  {"unlock",
                   [&](const arguments& given) {
                       auto lock = lock_at(given);
                       return bench::timed(number(given.at(1)), [&] {
                           lock.lock();
                           lock.unlock();
                       });
                   }},
                  {"contend",
                   [&](const arguments& given) {
                       auto lock = lock_at(given);
                       return bench::count_until(
                                  number(given.at(1)), number(given.at(2)),
                                  [&](bench::grant_count& count) { take_and_give_up(lock, count); })
                           .text();
                   }},
                  {"threads",
                   [&](const arguments& given) {
                       auto lock = lock_at(given);
                       return bench::count_by_threads(
                           number(given.at(1)), number(given.at(2)), number(given.at(3)),
                           [&](bench::grant_count& count) { take_and_give_up(lock, count); });
                   }},
                  {"drain",
                   [&](const arguments& given) {
                       auto lock = lock_at(given);
                       return drain(lock, number(given.at(1)));
                   }},
                  {"idle",
                   [&](const arguments& given) {
                       for (auto left = number(given.at(0)); left > 0; --left)
                           idle.push_back(std::make_unique<turnstile::mutex>(
                               servers, "/idle/" + std::to_string(idle.size())));
                       return "idle=" + std::to_string(idle.size());
                   }},
                  {"pend",
                   [&](const arguments& given) {
                       return crowd->pend(given.at(0), number(given.at(1)), number(given.at(2)));
                   }},
                  {"heap",
                   [&](const arguments&) {
                       crowd->require_pending();
                       return "heap=" + std::to_string(heap_bytes()) +
                              " rss=" + std::to_string(resident_bytes());
                   }},
                  {"cancel", [&](const arguments&) { return crowd->cancel(); }}});
}
