#include "turnstile/mutex.hpp"

#include <algorithm>
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
    if (!servers.impl()) throw_error({errc::closed, "the client was moved from"});
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
    if (!handler) throw_error({errc::bad_option, "async_acquire: the handler is empty"});
    auto started =
        state_->client->acquire(state_->path, core::attempt::wait, std::move(options), handler);
    if (!started) state_->client->post([handler, why = started.error()] { handler(why); });
}

// ---- queries --------------------------------------------------------------------------------

result<bool> mutex::is_locked(const query_options& options) const {
    const auto names = detail::contender_names(*state_->client, state_->path, options);
    if (!names) return names.error();
    return !names->empty();
}

result<std::vector<contender>> mutex::queue(const query_options& options) const {
    return detail::contenders(*state_->client, state_->path, options);
}

result<std::optional<contender>> mutex::holder(const query_options& options) const {
    return detail::head(*state_->client, state_->path, options);
}

result<std::size_t> mutex::position(const guard& hold, const query_options& options) const {
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
    return !state_->holds.has_own() && keep(try_acquire());
}

bool mutex::lock_until(boottime_clock::time_point deadline) {
    return !state_->holds.has_own() && keep(acquire({.timeout = deadline}));
}

// "Not taken" is the standard's `false`, whatever the reason was to wait in vain.
bool mutex::keep(result<guard>&& outcome) {
    if (outcome) {
        state_->holds.keep(std::move(*outcome));
        return true;
    }
    const auto& why = outcome.error();
    if (why != errc::busy && why != errc::timeout && why != errc::not_connected)
        detail::throw_from_lock(why);
    return false;
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
