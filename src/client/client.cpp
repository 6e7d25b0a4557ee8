// SPDX-License-Identifier: Apache-2.0
#include "turnstile/client.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "client/metrics_impl.hpp"
#include "turnstile/tools/connect_string.hpp"
#include "turnstile/tools/session_secret.hpp"

namespace turnstile {

namespace {

void add_sessions(const detail::client_impl& of, metrics_snapshot& to) {
    if (of.forked()) return;
    for (const auto& session : of.sessions().all())
        ++to.sessions.at(static_cast<std::size_t>(session->state()));
    to.outage = std::max(to.outage, of.services().outage->length(boottime_clock::now()));
}

// Destroys the client, except in a forked child, which must not touch it. In the child the client's threads do not
// exist, its locks may be locked for ever, and its sockets belong to the parent.
void let_go(std::shared_ptr<detail::client_impl>&& impl) noexcept {
    if (!impl) return;
    if (impl->forked()) {
        static_cast<void>(new (std::nothrow) std::shared_ptr{std::move(impl)});  // never destroyed
        return;
    }
    impl->close();
    impl.reset();
}

std::string_view given(const char* connect_string) {
    if (connect_string == nullptr)
        throw_error(
            {errc::bad_connect_string,
             "the connect string is a null pointer, as std::getenv() returns for a "
             "variable that is not set; client::from_environment() names the variables that "
             "it reads"});
    return connect_string;
}

std::string servers_given_by_environment() {
    std::string servers;
    try {
        servers = servers_in_environment();
    } catch (const std::runtime_error& unusable) {
        throw_error({errc::bad_connect_string, unusable.what()});
    }
    if (servers.empty())
        throw_error({errc::bad_connect_string,
                     "no servers are named: set TURNSTILE_SERVERS, as in zk1:2181,zk2:2181, or "
                     "TURNSTILE_SERVERS_FILE"});
    return servers;
}

}  // namespace

std::shared_ptr<detail::client_impl> detail::internals::of(const client& servers) {
    return servers.inside_ ? servers.inside_->impl : nullptr;
}

client::client(std::string_view connect_string, client_options options)
    : inside_{
          new inside{std::make_shared<detail::client_impl>(connect_string, std::move(options))}} {
    const auto& impl = inside_->impl;
    if (const auto& metrics = impl->services().metrics)
        metrics->watch(impl,
                       [known = impl.get()](auto& numbers) { add_sessions(*known, numbers); });
}

client::client(const char* connect_string, client_options options)
    : client{given(connect_string), std::move(options)} {}

client client::from_environment(client_options options) {
    return client{servers_given_by_environment(), std::move(options)};
}

client::~client() {
    if (inside_) let_go(std::move(inside_->impl));
}

client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
    if (this != &other) {
        if (inside_) let_go(std::move(inside_->impl));
        inside_ = detail::owned<inside>{nullptr};
        inside_ = std::move(other.inside_);
    }
    return *this;
}

// A client that was moved from counts as closed.

result<void> client::wait_connected(boottime_clock::time_point deadline) {
    if (!inside_) return error{errc::closed};
    return inside_->impl->wait_connected(deadline);
}

session_state client::state() const {
    return usable() ? inside_->impl->sessions().first()->state() : session_state::closed;
}

std::size_t client::session_count() const {
    return usable() ? inside_->impl->sessions().all().size() : 0;
}

turnstile::promises client::promises() const {
    return usable() ? inside_->impl->promises() : turnstile::promises{};
}

client_counters client::counters() const {
    if (!inside_ || !inside_->impl) return {};
    const auto& counts = inside_->impl->services().counts;
    return {counts.entered.load(),    counts.granted.load(), counts.failed.load(),
            counts.lost.load(),       counts.gone.load(),    counts.waited.load(),
            inside_->impl->guardian()};
}

session_info client::session(std::size_t index) const {
    if (!usable()) return {.state = session_state::closed};
    const auto all = inside_->impl->sessions().all();
    if (index >= all.size()) return {.state = session_state::closed};
    return all[index]->info();
}

listener_handle client::on_change(std::function<void(const session_change&)> listener) {
    if (!listener) throw_error({errc::bad_option, "on_change: the listener is empty"});
    if (!usable()) return {};
    return inside_->impl->on_change(std::move(listener));
}

void client::close() noexcept {
    if (inside_) inside_->impl->close();
}

bool client::usable() const noexcept {
    return inside_ && !inside_->impl->forked();
}

session_secret secret_of(const client& servers, std::size_t index) {
    const auto inside = detail::internals::of(servers);
    if (!inside || inside->forked()) return {};
    const auto all = inside->sessions().all();
    return index < all.size() ? all[index]->secret() : session_secret{};
}

// ---- listener_handle -------------------------------------------------------------------------

listener_handle::listener_handle() noexcept : registration_{nullptr} {}

listener_handle::listener_handle(detail::registration* registration) noexcept
    : registration_{registration} {}

listener_handle::~listener_handle() = default;

listener_handle::listener_handle(listener_handle&&) noexcept = default;

listener_handle& listener_handle::operator=(listener_handle&& other) noexcept {
    auto old = std::exchange(registration_, detail::owned<detail::registration>{nullptr});
    registration_ = std::move(other.registration_);
    return *this;
}

void listener_handle::reset() noexcept {
    *this = listener_handle{};
}

}  // namespace turnstile
