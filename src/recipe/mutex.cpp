#include "turnstile/mutex.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/path.hpp"
#include "client/client_impl.hpp"
#include "client/hold.hpp"
#include "client/interruption.hpp"
#include "client/thread_holds.hpp"
#include "recipe/lock_queries.hpp"

namespace turnstile {

// What outlives a moved or shared use of the mutex: who asks, for what, and the threads' holds.
class mutex::state {
public:
    state(std::shared_ptr<detail::client_impl> servers, std::string_view lock_path)
        : client{std::move(servers)}, path{lock_path} {}

    const std::shared_ptr<detail::client_impl> client;
    const std::string path;
    detail::thread_holds holds;
};

mutex::mutex(const client& servers, std::string_view path) {
    if (const auto good = base::validate_path(path); !good) throw_error(good.error());
    if (path == "/") throw_error({errc::bad_path, "\"/\": the root cannot be a lock's path"});
    state_ = std::make_shared<state>(servers.impl(), path);
}

mutex::~mutex() = default;

const std::string& mutex::path() const noexcept {
    return state_->path;
}

// ---- the primary forms ----------------------------------------------------------------------

result<guard> mutex::acquire(acquire_options options) {
    auto started =
        state_->client->acquire(state_->path, core::attempt::wait, std::move(options), nullptr);
    if (!started) return started.error();
    return (*started)->wait();
}

result<guard> mutex::try_acquire(acquire_options options) {
    auto started =
        state_->client->acquire(state_->path, core::attempt::once, std::move(options), nullptr);
    if (!started) return started.error();
    return (*started)->wait();
}

void mutex::async_acquire(acquire_options options, std::function<void(result<guard>)> handler) {
    auto started =
        state_->client->acquire(state_->path, core::attempt::wait, std::move(options), handler);
    if (!started) state_->client->post([handler, why = started.error()] { handler(why); });
}

// ---- queries --------------------------------------------------------------------------------

result<bool> mutex::is_locked(acquire_options options) const {
    const auto names = detail::contender_names(*state_->client, state_->path, options);
    if (!names) return names.error();
    return !names->empty();
}

result<std::vector<contender>> mutex::queue(acquire_options options) const {
    return detail::contenders(*state_->client, state_->path,
                              std::numeric_limits<std::size_t>::max(), options);
}

result<std::vector<contender>> mutex::holder(acquire_options options) const {
    return detail::contenders(*state_->client, state_->path, 1, options);
}

result<std::size_t> mutex::position(const guard& hold, acquire_options options) const {
    const auto names = detail::contender_names(*state_->client, state_->path, options);
    if (!names) return names.error();
    const auto name = hold.znode().substr(hold.znode().rfind('/') + 1);
    const auto place = std::find(names->begin(), names->end(), name);
    if (place == names->end())
        return error{errc::removed, '"' + hold.znode() + "\" is not in the queue"};
    return static_cast<std::size_t>(place - names->begin());
}

// ---- the standard forms ---------------------------------------------------------------------

void mutex::lock() {
    if (state_->holds.has_own())
        throw_error({errc::would_deadlock, state_->path + ": this thread holds it already"});
    auto hold = acquire();
    if (!hold) detail::throw_from_lock(hold.error());
    state_->holds.keep(std::move(*hold));
}

bool mutex::try_lock() {
    if (state_->holds.has_own()) return false;
    auto hold = try_acquire();
    if (hold) {
        state_->holds.keep(std::move(*hold));
    } else if (hold.error() != errc::busy && hold.error() != errc::timeout) {
        detail::throw_from_lock(hold.error());
    }
    return hold.has_value();
}

bool mutex::lock_until(boottime_clock::time_point deadline) {
    if (state_->holds.has_own()) return false;
    auto hold = acquire({.timeout = deadline});
    if (hold) {
        state_->holds.keep(std::move(*hold));
    } else if (hold.error() != errc::timeout && hold.error() != errc::not_connected) {
        detail::throw_from_lock(hold.error());
    }
    return hold.has_value();
}

void mutex::unlock() {
    auto hold = state_->holds.take_own();
    if (!hold) throw_error({errc::not_owner, state_->path + ": this thread does not hold it"});
    hold.unlock();
}

const guard* mutex::current() const noexcept {
    return state_->holds.own();
}

}  // namespace turnstile
