// SPDX-License-Identifier: Apache-2.0
#include "client/client_impl.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "client/back_ends.hpp"
#include "client/internals.hpp"
#include "client/metadata.hpp"
#include "client/metrics_impl.hpp"
#include "client/runtime_impl.hpp"
#include "client/settings.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile::detail {

namespace {

// While a caller waits for a session, the client asks the servers for the cause of the wait. It asks when this much
// time is left until the caller's deadline. If the whole wait is shorter than twice this time, the client asks after
// half of the wait.
constexpr std::chrono::milliseconds k_diagnosis{1'500};

// The calls of one acquire_together() that are in the same session. Their contenders enter their queues together.
struct started_calls {
    core::acquire_together messages;
    std::vector<std::shared_ptr<session_call>> holds;
};

// Makes the hold listen to the stop token, after the request was sent. Ends the process if listen() throws
// std::bad_alloc. Otherwise the caller would get the exception, and the contender would stay in its queue without a
// caller.
void listen(session_hold& hold, const std::stop_token& stop) {
    base::finish_or_end("the start of a call", [&] { hold.listen(stop); });
}

bool is_settled(session_state state) {
    return state == session_state::connected || state == session_state::closed ||
           state == session_state::auth_failed;
}

}  // namespace

client_impl::client_impl(std::string_view connect_string, client_options options)
    : options_{std::move(options)},
      texts_{options_.session_timeout},
      services_{std::make_shared<client_services>()},
      sessions_{options_, services_} {
    if (const auto good = check(options_, has_identity(connect_string, options_)); !good)
        throw_error(good.error());
    log::prepare();
    try {
        start_services(connect_string);
        sessions_.open();
    } catch (const boost::thread_resource_error& failure) {
        close();
        throw std::system_error{failure.native_error(), std::generic_category(),
                                "cannot start a thread"};
    } catch (...) {
        close();
        throw;
    }
}

void client_impl::start_services(std::string_view connect_string) {
    services_->servers = make_coordinator(connect_string, options_);
    services_->session = session_settings(options_);
    services_->acl = acl_of(options_);
    services_->metrics = internals::of(options_.metrics);
    if (options_.lease.detect_clock_steps)
        services_->wall_clock = core::clock_watch{options_.session_timeout};
    services_->start_threads(options_);
    listeners_ = std::make_shared<listeners>(services_->callbacks);
    services_->outage =
        std::make_shared<outage_watch>(*services_->timers, services_->workers, services_->servers);
    services_->on_change = [told = listeners_, outage = services_->outage,
                            metrics = services_->metrics](const session_change& step) {
        const bool is_outage = outage->on_change(step);
        if (metrics) metrics->on_change(step, is_outage);
        told->publish(step);
    };
}

client_impl::~client_impl() {
    close();
}

error client_impl::forked_error() const {
    return {errc::forked, "make another client in this process"};
}

// ---- functions for the recipes --------------------------------------------------------------

result<acquire_request> client_impl::request(const base::shared_text& path,
                                             const core::claim& wants, core::attempt mode,
                                             acquire_options&& options,
                                             acquire_request::handler&& done,
                                             std::string_view recipe) {
    if (forked()) return forked_error();
    if (options.stop.stop_requested()) return error{errc::cancelled, path.str()};
    auto request = make_request(std::move(options), mode, limit_of_attempt(*this), std::move(done));
    if (!request) return request;
    if (!request->done) request->name_owner();
    const auto& label = request->options.label.empty() ? options_.label : request->options.label;
    auto& settings = request->message.settings;
    settings.folder = path;
    settings.wants = wants;
    settings.waiters = options_.waiters;
    settings.data = texts_.text(label, request->options.owner, recipe);
    settings.data_names_folder = true;
    return request;
}

// A single attempt must not wait for the end of an outage.
boottime_clock::duration limit_of_attempt(const client_impl& servers) {
    const boottime_clock::duration answered = servers.options().session_timeout;
    const boottime_clock::duration connected = servers.options().connection_timeout;
    const bool is_away =
        servers.services().outage->length(boottime_clock::now()) > connected.zero();
    return is_away && connected > connected.zero() ? std::min(answered, connected) : answered;
}

// sessions_.place() reserves room in a session, and only the hold that is made here frees that room. So no step between
// the reservation and the making of the hold may fail.
result<std::shared_ptr<session_hold>> client_impl::place(result<acquire_request>& request) {
    if (!request) return request.error();
    // A request with on_contended comes from a shared_contender. The metrics count each caller that shares the
    // contender, so the contender itself gets no call_record.
    auto record = request->on_contended
                      ? nullptr
                      : record_of(services_->metrics, request->message.settings.folder);
    auto hold = sessions_.place(*request);
    if (hold) (*hold)->observe(std::move(record));
    return hold;
}

result<std::shared_ptr<session_hold>> client_impl::acquire(result<acquire_request>&& request) {
    const auto hold = place(request);
    if (!hold) return hold;
    (*hold)->session()->acquire(std::move(request->message), *hold);
    listen(**hold, request->stop);
    return hold;
}

std::vector<result<std::shared_ptr<session_hold>>> client_impl::acquire_together(
    std::vector<result<acquire_request>>&& requests) {
    return base::finish_or_end("the start of calls", [&] { return start_together(requests); });
}

std::vector<result<std::shared_ptr<session_hold>>> client_impl::start_together(
    std::vector<result<acquire_request>>& requests) {
    std::vector<result<std::shared_ptr<session_hold>>> all;
    std::map<std::shared_ptr<session_runner>, started_calls> groups;
    for (auto& request : requests) {
        const auto& hold = all.emplace_back(place(request));
        if (!hold) continue;
        auto& group = groups[(*hold)->session()];
        group.messages.all.push_back(std::move(request->message));
        group.holds.push_back(*hold);
    }
    for (const auto& [session, group] : groups)
        session->acquire_together(group.messages, group.holds);
    for (std::size_t i = 0; i != requests.size(); ++i)
        if (all[i]) listen(**all[i], requests[i]->stop);
    return all;
}

boottime_clock::time_point client_impl::query_deadline(const query_options& options) const {
    return options.timeout.deadline().value_or(boottime_clock::now() + options_.session_timeout);
}

result<std::vector<core::reply>> client_impl::read(std::vector<core::operation> questions,
                                                   const query_options& options) {
    if (forked()) return forked_error();
    const auto deadline = query_deadline(options);
    auto answers =
        sessions_.first()->inquire<core::read>(std::move(questions), deadline, options.stop);
    if (!answers) return answers;
    const bool finds_all = std::none_of(answers->begin(), answers->end(), [](const auto& answer) {
        return answer.error == core::server_error::no_node;
    });
    if (finds_all) return answers;
    if (const auto there = find_chroot(deadline, options.stop); !there) return there.error();
    return answers;
}

// Returns an error if the chroot does not exist. Every path would be missing then, so every lock would seem free.
result<void> client_impl::find_chroot(boottime_clock::time_point deadline,
                                      const std::stop_token& stop) {
    if (chroot_found_ || services_->servers->chroot().empty()) return {};
    const auto root =
        sessions_.first()->inquire<core::read>({core::exists_op{"/"}}, deadline, stop);
    if (!root) return root.error();
    if (root->front().error == core::server_error::no_node) return away_error(errc::no_chroot);
    chroot_found_ = true;
    return {};
}

result<std::vector<core::reply>> client_impl::write_repeatedly(std::vector<core::operation> writes,
                                                               const query_options& options) {
    if (forked()) return forked_error();
    return sessions_.first()->inquire<core::repeated_write>(std::move(writes),
                                                            query_deadline(options), options.stop);
}

result<core::reply> client_impl::write_at_version(core::operation write, std::uint64_t read_on,
                                                  const query_options& options) {
    if (forked()) return forked_error();
    auto answers = sessions_.first()->inquire<core::repeated_write>(
        {std::move(write)}, query_deadline(options), options.stop, read_on);
    if (!answers) return answers.error();
    return std::move(answers->front());
}

result<void> client_impl::may_wait_for_handler() const {
    if (forked()) return forked_error();
    if (services_->callbacks->on_this_thread()) {
        return error{
            errc::bad_option,
            "a callback of the client made this call, which would wait for that callback to end"};
    }
    return {};
}

void client_impl::post(std::function<void()> callback) {
    // A forked child runs the callback here, because it has none of the client's threads, and the lock of the callback
    // queue may be locked for ever.
    if (forked()) return callback();
    services_->callbacks->post(std::move(callback));
    services_->callbacks->pump();
}

// ---- functions for turnstile::client ---------------------------------------------------------

result<void> client_impl::wait_attached(session_runner& first,
                                        boottime_clock::time_point deadline) const {
    const auto begin = boottime_clock::now();
    const auto time_to_ask =
        std::min<boottime_clock::duration>(left_until(deadline) / 2, k_diagnosis);
    auto state = first.wait_state(is_settled, deadline - time_to_ask);
    if (!is_settled(state) && deadline > begin) {
        services_->outage->ask();
        state = first.wait_state(is_settled, deadline);
    }
    if (state == session_state::connected) return {};
    if (state == session_state::closed) return error{errc::closed};
    return away_error(state == session_state::auth_failed ? errc::auth_failed
                                                          : errc::not_connected);
}

error client_impl::away_error(const error& why) const {
    return services_->outage->explain(why);
}

result<void> client_impl::wait_connected(boottime_clock::time_point deadline) {
    if (forked()) return forked_error();
    const auto first = sessions_.first();
    try {
        if (const auto there = wait_attached(*first, deadline); !there) return there;
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted,
                     "the wait for a session at " + services_->servers->describe()};
    }
    const auto root = first->inquire<core::read>({core::exists_op{"/"}}, deadline, {});
    if (!root && root.error() == errc::timeout)
        return error{errc::not_connected, services_->servers->describe() + " has not answered yet"};
    if (!root) return root.error();
    if (root->front().error == core::server_error::no_node) return away_error(errc::no_chroot);
    return {};
}

listener_handle client_impl::on_change(listeners::function listener) {
    return listeners_->add(std::move(listener));
}

void client_impl::close() noexcept {
    if (forked()) return;
    const boost::this_thread::disable_interruption uninterrupted;
    {
        const bool inside = services_->on_user_thread();
        base::unique_lock lock{mutex_};
        if (life_ == life::closing && inside) return;  // the closing thread waits for this thread
        while (life_ == life::closing) closed_now_.wait(lock);
        if (life_ == life::closed) return;
        life_ = life::closing;
    }
    base::finish_or_end("the end of a client", [this] {
        sessions_.close(boottime_clock::now() + to_nanoseconds(options_.close_timeout));
    });
    services_->end(options_.close_timeout);
    log::flush_at_end();
    {
        const base::lock_guard lock{mutex_};
        life_ = life::closed;
    }
    closed_now_.notify_all();
}

}  // namespace turnstile::detail
