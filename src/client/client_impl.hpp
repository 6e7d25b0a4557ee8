// SPDX-License-Identifier: Apache-2.0
// client_impl: the implementation of a client: its sessions, their shared services, and its state (open, closing,
// closed).
//
// Thread safety: all members from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "base/process.hpp"
#include "base/shared_text.hpp"
#include "client/acquire_request.hpp"
#include "client/listeners.hpp"
#include "client/metadata.hpp"
#include "client/outage_watch.hpp"
#include "client/session_hold.hpp"
#include "client/session_pool.hpp"
#include "client/session_runner.hpp"
#include "turnstile/client.hpp"

namespace turnstile::detail {

class client_impl {
public:
    client_impl(std::string_view connect_string, client_options options);
    ~client_impl();
    client_impl(const client_impl&) = delete;
    client_impl& operator=(const client_impl&) = delete;

    // ---- functions for the recipes ---------------------------------------------------------
    // Makes the request for a lock on `path`. The call's time limit starts now. `done`: empty if the caller will block
    // in call::wait(). `recipe`: the recipe's name in the holder metadata. The recipe may change the request before
    // acquire().
    [[nodiscard]] result<acquire_request> request(const base::shared_text& path,
                                                  const core::claim& wants, core::attempt mode,
                                                  acquire_options&& options,
                                                  acquire_request::handler&& done = nullptr,
                                                  std::string_view recipe = {});
    // Sends the request. Returns the error that `request` contains, or an error if no session of the client has room.
    result<std::shared_ptr<session_hold>> acquire(result<acquire_request>&& request);
    // Sends several requests in this order. Contenders of one session enter their queues together.
    std::vector<result<std::shared_ptr<session_hold>>> acquire_together(
        std::vector<result<acquire_request>>&& requests);
    // Sends reads, and returns the answers in the order of `questions`. Default time limit: the session timeout.
    result<std::vector<core::reply>> read(std::vector<core::operation> questions,
                                          const query_options& options);
    // Sends writes, and repeats each write until the servers answer it (core::repeated_write). Returns the answers in
    // the order of the writes.
    result<std::vector<core::reply>> write_repeatedly(std::vector<core::operation> writes,
                                                      const query_options& options);
    // Writes a znode if the znode still has the version that the caller has read. `read_on`: the number of the
    // connection on which the caller read it; the reply to the read contains this number. If that connection has ended,
    // returns bad_version without writing (core::repeated_write).
    result<core::reply> write_at_version(core::operation write, std::uint64_t read_on,
                                         const query_options& options);
    [[nodiscard]] bool open() const {
        const base::lock_guard lock{mutex_};
        return life_ == life::open;
    }
    // True once the client has closed and no callback runs any more.
    [[nodiscard]] bool closed() const {
        const base::lock_guard lock{mutex_};
        return life_ == life::closed;
    }
    [[nodiscard]] std::string describe() const { return services_->servers->describe(); }
    [[nodiscard]] const client_options& options() const noexcept { return options_; }
    [[nodiscard]] const client_services& services() const noexcept { return *services_; }
    [[nodiscard]] turnstile::promises promises() const { return services_->servers->promises(); }
    [[nodiscard]] guardian_state guardian() const noexcept {
        if (options_.guardian.use == guardian_use::off) return guardian_state::off;
        return services_->servers->frees_at_once() ? guardian_state::guarded
                                                   : guardian_state::unguarded;
    }
    // Returns an error if this thread must not wait for a handler: in a forked child, or on a thread that runs the
    // client's callbacks.
    [[nodiscard]] result<void> may_wait_for_handler() const;
    [[nodiscard]] error forked_error() const;
    // Returns the object that recipes of this client share under `name`. The first caller makes it; the last user
    // destroys it.
    template <class T, class F>
    std::shared_ptr<T> shared(const std::string& name, F&& make);
    // Runs the handler of a call that has no contender, as a callback of the client.
    void post(std::function<void()> callback);

    [[nodiscard]] error away_error(const error& why) const;

    // ---- functions for turnstile::client ----------------------------------------------------
    result<void> wait_connected(boottime_clock::time_point deadline);
    [[nodiscard]] const session_pool& sessions() const noexcept { return sessions_; }
    [[nodiscard]] listener_handle on_change(listeners::function listener);
    void close() noexcept;
    // True in a forked child of the process that made this client. The child must not use the client.
    [[nodiscard]] bool forked() const noexcept { return process_.forked(); }

private:
    [[nodiscard]] result<void> wait_attached(session_runner& first,
                                             boottime_clock::time_point deadline) const;
    result<void> find_chroot(boottime_clock::time_point deadline, const std::stop_token& stop);
    void start_services(std::string_view connect_string);
    [[nodiscard]] std::vector<result<std::shared_ptr<session_hold>>> start_together(
        std::vector<result<acquire_request>>& requests);
    // Reserves room in a session, and makes the hold for the request there.
    [[nodiscard]] result<std::shared_ptr<session_hold>> place(result<acquire_request>& request);
    [[nodiscard]] boottime_clock::time_point query_deadline(const query_options& options) const;

    const client_options options_;
    const base::process_mark process_;
    contender_texts texts_;
    std::shared_ptr<client_services> services_;
    std::shared_ptr<listeners> listeners_;
    session_pool sessions_;
    std::atomic<bool> chroot_found_{false};  // an answer has shown that the chroot exists

    mutable base::mutex mutex_;
    base::condition_variable closed_now_;
    enum class life { open, closing, closed } life_ GUARDED_BY(mutex_) = life::open;
    std::map<std::string, std::weak_ptr<void>> shared_ GUARDED_BY(mutex_);
};

// Returns the time limit of a single attempt: the session timeout, or connection_timeout if no session is attached and
// connection_timeout is shorter.
[[nodiscard]] boottime_clock::duration limit_of_attempt(const client_impl& servers);

template <class T, class F>
std::shared_ptr<T> client_impl::shared(const std::string& name, F&& make) {
    if (forked()) return make();  // `mutex_` may be locked here for ever
    const base::lock_guard lock{mutex_};
    if (const auto there = shared_[name].lock()) return std::static_pointer_cast<T>(there);
    std::erase_if(shared_, [](const auto& entry) { return entry.second.expired(); });
    std::shared_ptr<T> created = make();
    shared_[name] = created;
    return created;
}

}  // namespace turnstile::detail
