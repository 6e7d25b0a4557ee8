// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <pthread.h>

#include <atomic>
#include <boost/thread/thread.hpp>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>

#include "base/log_lanes.hpp"
#include "base/log_standard.hpp"
#include "base/mutex.hpp"
#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"
#include "support/visible.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;

// Before a sink is replaced or the process ends, the log waits at most this time for the sink to take the queued lines.
constexpr auto k_last_wait = 1s;

// True on the log's thread, which runs the sink. On this thread a flush does nothing, because it would wait for the
// sink itself. A line that the sink writes is dropped, because each line of the sink would cause the next line, without
// end.
thread_local bool inside_sink = false;

struct chosen_sink {
    log_sink call;  // empty: the default sink, which runs with signals blocked
    support::signal_mask mask = support::signal_mask::of_this_thread();
};

// The condition variables between the log's thread and the other threads of one process. A forked child makes new
// condition variables, because its copies contain waiting threads that do not exist in the child.
struct meeting {
    base::condition_variable arrived;  // the log's thread waits for it
    base::condition_variable taken;    // other threads wait for the log's thread
};

class process_log {
public:
    std::atomic<log_level> level{log_level::warning};

    process_log() {
        log::standard_writer::prepare();
        sink_ = std::make_shared<chosen_sink>();
        // Both calls fail only if memory is exhausted. Then nothing is flushed at the end of the process, and a child
        // that is forked while a line is written has no log.
        std::atexit([] { only().end(); });
        ::pthread_atfork([] { only().before_fork(); }, [] { only().after_fork(); },
                         [] { only().in_child(); });
    }

    // Never destroyed: other threads may write lines while the process exits.
    static process_log& only() {
        static process_log& instance = *new process_log;
        return instance;
    }

    void write(log_level how, std::string line) {
        const base::lock_guard lock{mutex_};
        if (over_) return;
        lanes_.push(how, std::move(line));
        ensure_thread();
        meeting_->arrived.notify_one();
    }

    void set_sink(log_sink&& call) {
        const boost::this_thread::disable_interruption uninterrupted;
        auto sink = std::make_shared<chosen_sink>(chosen_sink{std::move(call)});
        {
            base::unique_lock lock{mutex_};
            if (!inside_sink) wait_until_taken(lock, boottime_clock::now() + k_last_wait);
            sink_.swap(sink);
            while (calls_ == sink.get() && !inside_sink) meeting_->taken.wait(lock);
        }
        // The old sink is destroyed here, without the lock: its destructor is the user's code.
    }

    bool flush(boottime_clock::time_point until) {
        const boost::this_thread::disable_interruption uninterrupted;
        if (inside_sink) return false;
        base::unique_lock lock{mutex_};
        return wait_until_taken(lock, until);
    }

    void flush_once() {
        const boost::this_thread::disable_interruption uninterrupted;
        base::unique_lock lock{mutex_};
        if (inside_sink || (writes_ != 0 && writes_ == stalled_at_)) return;
        if (!wait_until_taken(lock, boottime_clock::now() + k_last_wait)) stalled_at_ = writes_;
    }

private:
    void end() {
        flush_once();
        const base::lock_guard lock{mutex_};
        over_ = true;
        meeting_->arrived.notify_all();
    }

    // The C library calls before_fork() and after_fork() in the process that forks. The child thus gets the log in a
    // state between two changes. fork() waits for the mutex only a short time, because no user code runs under it.
    void before_fork() NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
    void after_fork() NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }
    void in_child() NO_THREAD_SAFETY_ANALYSIS {
        log::standard_writer::in_child();
        lanes_.clear();
        base::finish_or_end("a forked child's log", [this]() NO_THREAD_SAFETY_ANALYSIS {
            static_cast<void>(
                new std::shared_ptr{std::exchange(meeting_, fresh())});  // never destroyed
        });
        look_up_ = look_up_ && writes_ == 0;
        writes_ = stalled_at_ = 0;
        calls_ = nullptr;
        has_thread_ = false;
        mutex_.unlock();
    }

    static std::shared_ptr<meeting> fresh() { return std::make_shared<meeting>(); }

    void ensure_thread() REQUIRES(mutex_) {
        if (has_thread_) return;
        const support::block_signals blocked;
        try {
            boost::thread{[this, mine = meeting_, look_up = look_up_] {
                base::name_this_thread("turnstile-log");
                base::finish_or_end("the log", [&] { run(mine, look_up); });
            }}.detach();
            has_thread_ = true;
        } catch (const std::exception&) {  // no thread, or no memory: the next line tries again
        }
    }

    bool wait_until_taken(base::unique_lock& lock, boottime_clock::time_point until)
        REQUIRES(mutex_) {
        const auto last = lanes_.last();
        const auto here = meeting_;
        while (!lanes_.past(last) || (writes_ != 0 && writes_ <= last)) {
            if (!has_thread_) ensure_thread();
            if (!here->taken.wait_until(lock, until)) return false;
        }
        return true;
    }

    void run(const std::shared_ptr<meeting>& mine, bool look_up) {
        inside_sink = true;
        log::standard_writer standard{look_up};
        base::unique_lock lock{mutex_};
        while (mine == meeting_ && !over_) {
            auto line = lanes_.pop();
            if (!line) {
                mine->arrived.wait(lock);
                continue;
            }
            auto sink = sink_;
            writes_ = line->number;
            calls_ = sink.get();
            lock.unlock();
            call(*sink, standard, *line);
            sink.reset();  // the last reference to a replaced sink ends here
            lock.lock();
            if (mine != meeting_) return;  // the sink has forked, and this is the child
            writes_ = 0;
            calls_ = nullptr;
            mine->taken.notify_all();
        }
    }

    static void call(const chosen_sink& sink, log::standard_writer& standard,
                     const log::waiting_line& line) noexcept {
        if (sink.call) sink.mask.apply();
        try {
            sink.call ? sink.call(line.level, line.text) : standard.write(line);
        } catch (...) {  // a sink's exception is dropped, see turnstile/log.hpp
        }
    }

    base::mutex mutex_;
    log::log_lanes lanes_ GUARDED_BY(mutex_);
    std::shared_ptr<chosen_sink> sink_ GUARDED_BY(mutex_);
    std::shared_ptr<meeting> meeting_ GUARDED_BY(mutex_) = fresh();
    const chosen_sink* calls_ GUARDED_BY(mutex_) = nullptr;  // the sink that is running
    std::uint64_t writes_ GUARDED_BY(mutex_) = 0;            // number of the sink's line; 0: none
    std::uint64_t stalled_at_ GUARDED_BY(mutex_) = 0;        // the line for which a flush timed out
    bool has_thread_ GUARDED_BY(mutex_) = false;
    bool look_up_ GUARDED_BY(mutex_) = true;
    bool over_ GUARDED_BY(mutex_) = false;  // the process is ending
};

}  // namespace

void set_log_sink(log_sink sink) {
    process_log::only().set_sink(std::move(sink));
}

void set_log_level(log_level level) {
    process_log::only().level.store(level, std::memory_order_relaxed);
}

bool flush_log(std::chrono::milliseconds limit) {
    return process_log::only().flush(boottime_clock::now() + to_nanoseconds(limit));
}

namespace log {

void prepare() {
    static_cast<void>(process_log::only());
}

bool enabled(log_level level) noexcept {
    return level != log_level::off &&
           level >= process_log::only().level.load(std::memory_order_relaxed);
}

void write_line(log_level level, std::string_view line) noexcept {
    if (!enabled(level) || inside_sink) return;
    try {
        process_log::only().write(level, support::visible(line));
    } catch (...) {  // no memory for the line: a log line is no reason to fail
    }
}

void flush_at_end() noexcept {
    process_log::only().flush_once();
}

}  // namespace log
}  // namespace turnstile
