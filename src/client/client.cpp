// SPDX-License-Identifier: Apache-2.0
#include "turnstile/client.hpp"

#include <utility>

#include "client/client_impl.hpp"

namespace turnstile {

namespace {

// In a forked child nothing of a client may be touched, not even to destroy it: its threads are not
// there, its locks may be taken for ever, and its sockets are the parent's.
void let_go(std::shared_ptr<detail::client_impl>&& impl) noexcept {
    if (!impl) return;
    if (impl->forked()) {
        static_cast<void>(new (std::nothrow) std::shared_ptr{std::move(impl)});  // never destroyed
        return;
    }
    impl->close();
    impl.reset();
}

}  // namespace

client::client(std::string_view connect_string, client_options options)
    : impl_{std::make_shared<detail::client_impl>(connect_string, std::move(options))} {}

client::~client() {
    let_go(std::move(impl_));
}

client::client(client&&) noexcept = default;

client& client::operator=(client&& other) noexcept {
    if (this != &other) {
        let_go(std::move(impl_));
        impl_ = std::move(other.impl_);
    }
    return *this;
}

// A client that was moved from is a closed one.

result<void> client::wait_connected(boottime_clock::time_point deadline) {
    if (!impl_) return error{errc::closed};
    return impl_->wait_connected(deadline);
}

session_state client::state() const {
    return usable() ? impl_->sessions().front()->state() : session_state::closed;
}

std::size_t client::session_count() const {
    return usable() ? impl_->sessions().size() : 0;
}

session_info client::session(std::size_t index) const {
    if (!usable()) return {.state = session_state::closed};
    const auto all = impl_->sessions();
    if (index >= all.size()) return {.state = session_state::closed};
    return all[index]->info();
}

listener_handle client::on_change(std::function<void(const session_change&)> listener) {
    if (!usable()) return {};
    return impl_->on_change(std::move(listener));
}

void client::close() noexcept {
    if (impl_) impl_->close();
}

bool client::usable() const noexcept {
    return impl_ && !impl_->forked();
}

std::string_view to_string(server_role role) noexcept {
    constexpr std::array<std::string_view, 6> names{"unknown",  "standalone", "leader",
                                                    "follower", "observer",   "read_only"};
    return names.at(static_cast<std::size_t>(role));
}

}  // namespace turnstile
