// SPDX-License-Identifier: Apache-2.0
// Peer "turnstile": uses turnstile::mutex with the library's default options. Words after the connect string change
// these options. "shared" (peer "turnstile-shared"): the process keeps a released lock for a minute, and its threads
// pass the lock on up to 64 times (retain_for, cohort). "session=MS": the session timeout. "guardian=FILE": the
// guardian program to start.
//
// The peer has the commands of protocol.hpp, and these:
//
//     several PATH LOCKS COUNT    takes LOCKS free locks below PATH by one multi_lock, and releases them; does so
//                                 COUNT times, and answers us=LIST
//     loop PATH LOCKS COUNT       does the same with one lock after the other, and releases them in reverse order
//     reacquire PATH BEGIN END    takes and releases the lock in one thread until END; answers grants=N, the grants
//                                 between BEGIN and END
//     hold PATH                   takes the lock
//     give PATH                   releases the lock without waiting; answers at=INSTANT, the time before the release
//     queue PATH                  queues behind another holder
//     granted PATH                waits for the grant and releases the lock; answers granted_at=INSTANT
//     take PATH                   takes and releases the lock; answers us=N, the time until the grant
//     idle COUNT                  makes COUNT further mutex objects, each with a different path
//     pend PATH COUNT PATHS       requests COUNT acquires on PATH/0 to PATH/(PATHS - 1). They stay pending, because
//                                 another client holds these locks. Answers mutex_bytes=N, the mutex objects' heap
//     heap                        answers heap=BYTES in use and rss=BYTES resident; fails if an acquire has ended
//     cancel                      cancels the pending acquires; answers cancelled=N, and us=N, the time until the last
//                                 handler has run
//     saturate, pace              see crowd.hpp
//     readwrite, permit,
//     lead, enter                 see turnstile_kinds.hpp
//     keep, drop, clients         see turnstile_held.hpp
//     counts                      answers transactions=N writes=N statements=N, SQLite's counts in this process so far
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <optional>
#include <stop_token>

#include "protocol.hpp"
#include "sqlite_counts.hpp"
#include "tally.hpp"
#include "turnstile/turnstile.hpp"
#include "turnstile/version.hpp"
#include "turnstile_crowd.hpp"
#include "turnstile_held.hpp"
#include "turnstile_kinds.hpp"

namespace {

using bench::arguments;
using bench::number;

void take_and_give_up(turnstile::mutex& lock, bench::grant_count& count) {
    const auto hold = lock.acquire().value();
    count.granted();
}

// Empties a queue: each waiter releases the lock as soon as the lock is granted.
std::string drain(turnstile::mutex& lock, std::int64_t count) {
    const auto queued = std::make_shared<bench::tally>();
    const auto granted = std::make_shared<bench::tally>();
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

// A lock that several commands use: they hold it, wait for it and release it.
class single_lock {
public:
    single_lock(const turnstile::client& servers, const turnstile::lock_options& modes)
        : servers_{servers}, modes_{modes} {}

    std::string hold(const std::string& path) {
        held_ = at(path).acquire().value();
        return "held=1";
    }
    std::string give() {
        const auto at = bench::now_us();
        held_.unlock();
        return "at=" + std::to_string(at);
    }
    std::string queue(const std::string& path) {
        queued_ = std::make_shared<bench::tally>();
        granted_at_ = std::make_shared<std::promise<std::int64_t>>();
        turnstile::acquire_options options;
        options.on_queued = [queued = queued_](std::size_t) { queued->add(); };
        at(path).async_acquire(std::move(options),
                               [granted = granted_at_](turnstile::result<turnstile::guard> hold) {
                                   const auto when = bench::now_us();
                                   hold.value().release().value();
                                   granted->set_value(when);
                               });
        queued_->wait(1);
        return "queued=1";
    }
    std::string granted() {
        return "granted_at=" + std::to_string(granted_at_->get_future().get());
    }
    std::string take(const std::string& path) {
        auto& lock = at(path);
        const auto start = bench::now_us();
        auto held = lock.acquire().value();
        const auto end = bench::now_us();
        held.release().value();
        return "us=" + std::to_string(end - start);
    }

private:
    turnstile::mutex& at(const std::string& path) {
        if (!lock_ || lock_->path() != path)
            lock_ = std::make_unique<turnstile::mutex>(servers_, path, modes_);
        return *lock_;
    }

    const turnstile::client& servers_;
    const turnstile::lock_options modes_;
    std::unique_ptr<turnstile::mutex> lock_;
    turnstile::guard held_;
    std::shared_ptr<bench::tally> queued_;
    std::shared_ptr<std::promise<std::int64_t>> granted_at_;
};

// Takes and releases the lock until `end`. Reading the clock takes longer than one acquire with its release, so the
// loop reads the clock only after many of them.
std::string reacquire(turnstile::mutex& lock, std::int64_t begin, std::int64_t end) {
    constexpr int k_pairs = 1000;
    std::int64_t grants = 0;
    for (std::int64_t now = 0; now < end; now = bench::now_us()) {
        for (int i = 0; i != k_pairs; ++i) lock.acquire().value().unlock();
        if (now >= begin) grants += k_pairs;
    }
    return "grants=" + std::to_string(grants);
}

// A set of free locks. Either one call takes all of them, or several calls take them one after another. The servers
// confirm each release.
class lock_set {
public:
    lock_set(const turnstile::client& servers, const std::string& path, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
            locks_.push_back(
                std::make_unique<turnstile::mutex>(servers, path + "/" + std::to_string(i)));
    }
    std::string as_one(std::int64_t count) {
        turnstile::multi_lock all{std::vector<turnstile::any_lock>(locks_.begin(), locks_.end())};
        return bench::timed(count, [&] { all.acquire().value().release().value(); });
    }
    std::string in_a_loop(std::int64_t count) {
        std::vector<turnstile::guard> holds;
        return bench::timed(count, [&] {
            for (const auto& lock : locks_) holds.push_back(lock->acquire().value());
            for (; !holds.empty(); holds.pop_back()) holds.back().release().value();
        });
    }

private:
    std::vector<std::shared_ptr<turnstile::mutex>> locks_;
};

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

    // Throws if an acquire that should still be pending has ended with an error.
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
    bench::tally ended_;
    std::int64_t count_ = 0;
};

struct settings {
    turnstile::lock_options modes{};
    turnstile::client_options client{.max_sessions = 64};  // enough for 100,000 waiting acquires
};

settings parse(const std::vector<std::string>& words) {
    settings all;
    for (const auto& word : words) {
        const auto name = word.substr(0, word.find('='));
        const auto text = word.substr(std::min(name.size() + 1, word.size()));
        if (name == "shared") {
            all.modes = {.retain_for = std::chrono::minutes{1}, .cohort = 64};
        } else if (name == "session") {
            all.client.session_timeout = std::chrono::milliseconds{number(text)};
        } else if (name == "guardian") {
            all.client.guardian = {turnstile::guardian_use::started, text};
        } else {
            throw std::invalid_argument{"'" + word +
                                        "' is not shared, session=MS or guardian=FILE"};
        }
    }
    return all;
}

int run(const std::string& connect, const settings& given_settings) {
    const auto& modes = given_settings.modes;
    // The crowd must outlive the client, because the client's close() ends the pending acquires.
    std::unique_ptr<pending_crowd> crowd;
    turnstile::client servers{connect, given_settings.client};
    crowd = std::make_unique<pending_crowd>(servers);
    servers.wait_connected(std::chrono::seconds{30}).value();
    std::vector<std::unique_ptr<turnstile::mutex>> idle;
    const auto lock_at = [&](const arguments& given) {
        return turnstile::mutex{servers, given.at(0), modes};
    };
    single_lock single{servers, modes};
    bench::turnstile_crowd many{connect};
    bench::commands known{
        {"threads",
         [&](const arguments& given) {
             auto lock = lock_at(given);
             return bench::count_by_threads(
                 number(given.at(1)), number(given.at(2)), number(given.at(3)),
                 [&](bench::grant_count& count) { take_and_give_up(lock, count); });
         }},
        {"contend",
         [&](const arguments& given) {
             auto lock = lock_at(given);
             return bench::count_until(
                        number(given.at(1)), number(given.at(2)),
                        [&](bench::grant_count& count) { take_and_give_up(lock, count); })
                 .text();
         }},
        {"hold", [&](const arguments& given) { return single.hold(given.at(0)); }},
        {"give", [&](const arguments&) { return single.give(); }},
        {"queue", [&](const arguments& given) { return single.queue(given.at(0)); }},
        {"granted", [&](const arguments&) { return single.granted(); }},
        {"take", [&](const arguments& given) { return single.take(given.at(0)); }}};
    if (modes != turnstile::lock_options{}) {
        known.erase("contend");
        known.emplace("reacquire", [&](const arguments& given) {
            auto lock = lock_at(given);
            return reacquire(lock, number(given.at(1)), number(given.at(2)));
        });
        return bench::serve(TURNSTILE_VERSION, known), 0;
    }
    bench::add_sqlite_counts(known);
    bench::add_kinds(known, servers);
    bench::add_held(known, servers, connect);
    known.merge(bench::commands{
        {"cycle",
         [&](const arguments& given) {
             auto lock = lock_at(given);
             return bench::timed(number(given.at(1)),
                                 [&] { lock.acquire().value().release().value(); });
         }},
        {"several",
         [&](const arguments& given) {
             return lock_set{servers, given.at(0), number(given.at(1))}.as_one(number(given.at(2)));
         }},
        {"loop",
         [&](const arguments& given) {
             return lock_set{servers, given.at(0), number(given.at(1))}.in_a_loop(
                 number(given.at(2)));
         }},
        {"unlock",
         [&](const arguments& given) {
             auto lock = lock_at(given);
             return bench::timed(number(given.at(1)), [&] {
                 lock.lock();
                 lock.unlock();
             });
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
        {"cancel", [&](const arguments&) { return crowd->cancel(); }},
        {"saturate",
         [&](const arguments& given) { return bench::saturate(many, bench::crowd_load{given}); }},
        {"pace",
         [&](const arguments& given) { return bench::pace(many, bench::crowd_load{given}); }}});
    bench::serve(TURNSTILE_VERSION, known);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: turnstile CONNECT [shared] [session=MS] [guardian=FILE]\n";
        return 2;
    }
    try {
        bench::count_sqlite();
        return run(argv[1], parse({argv + 2, argv + argc}));
    } catch (const std::exception& failure) {
        std::cerr << "turnstile: " << failure.what() << '\n';
        return 2;
    }
}
