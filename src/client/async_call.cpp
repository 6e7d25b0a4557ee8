// SPDX-License-Identifier: Apache-2.0
// The parts of the asynchronous and awaitable forms of calls that need no template.
#include "turnstile/async_call.hpp"

#include <deque>
#include <exception>
#include <utility>

#include <boost/thread/exceptions.hpp>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "client/worker_pool.hpp"
#include "turnstile/acquisition_awaitable.hpp"

namespace turnstile::detail {

namespace {

// Runs the asynchronous calls of one client on at most half of the client's workers, so that the other half is free for
// the library's own work. Further calls wait. The thread of a finished call runs the next waiting call.
class call_room : public std::enable_shared_from_this<call_room> {
public:
    // Runs `work` on a worker, now or after other calls. Returns false, and never runs `work`, if the workers have
    // finished.
    bool run(worker_pool& threads, std::function<void()> work) {
        {
            const base::lock_guard lock{mutex_};
            if (running_ == k_most_calls) {
                waiting_.push_back(std::move(work));
                return true;
            }
            ++running_;
        }
        const bool posted = base::finish_or_end("an asynchronous call", [&] {
            return threads.post(
                [self = shared_from_this(), work = std::move(work)] { self->go(work); });
        });
        if (posted) return true;
        const base::lock_guard lock{mutex_};
        --running_;
        return false;
    }

private:
    static constexpr std::size_t k_most_calls = worker_pool::k_most_threads / 2;

    void go(std::function<void()> work) {
        while (work) {
            try {
                work();
            } catch (...) {
                static_cast<void>(error_of_exception());
            }
            work = next();  // destroys the finished function and its captures under no lock
        }
    }
    std::function<void()> next() {
        const base::lock_guard lock{mutex_};
        if (waiting_.empty()) {
            --running_;
            return nullptr;
        }
        auto first = std::move(waiting_.front());
        waiting_.pop_front();
        return first;
    }

    base::mutex mutex_;
    std::size_t running_ GUARDED_BY(mutex_) = 0;
    std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<client_impl> impl_of(const client& servers) {
    return internals::of(servers);
}

bool run_blocking(const std::shared_ptr<client_impl>& servers, std::function<void()> work) {
    if (!servers || servers->forked() || servers->closed()) return false;
    const auto room =
        servers->shared<call_room>("async_call", [] { return std::make_shared<call_room>(); });
    return room->run(*servers->services().workers, std::move(work));
}

error error_of_exception() noexcept {
    try {
        throw;
    } catch (const boost::thread_interrupted&) {
        return errc::interrupted;
    } catch (const std::system_error& failure) {
        if (failure.code().category() == error_category())
            return {static_cast<errc>(failure.code().value()), failure.what()};
        log::write(log_level::error, "the function of an async_call() threw: {}", failure.what());
    } catch (const std::exception& failure) {
        log::write(log_level::error, "the function of an async_call() threw: {}", failure.what());
    } catch (...) {
        log::write(log_level::error,
                   "the function of an async_call() threw something that is no std::exception");
    }
    return errc::cancelled;
}

void report_failed_executor(std::string_view consequence) noexcept {
    try {
        throw;
    } catch (const std::exception& failure) {
        log::write(log_level::error, "async_acquire: the executor threw: {}; {}", failure.what(),
                   consequence);
    } catch (...) {  // boost::thread_interrupted is no std::exception
        log::write(log_level::error,
                   "async_acquire: the executor threw something that is no std::exception; {}",
                   consequence);
    }
}

void end_without_delivery() noexcept {
    base::end_out_of_memory("the delivery of an outcome");
}

}  // namespace turnstile::detail
