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

result<void> client::wait_connected(boottime_clock::time_point deadline) {
    return impl_->wait_connected(deadline);
}

session_state client::state() const {
    return impl_->forked() ? session_state::closed : impl_->sessions().front()->state();
}

std::size_t client::session_count() const {
    return impl_->forked() ? 0 : impl_->sessions().size();
}

session_info client::session(std::size_t index) const {
    if (impl_->forked()) return {.state = session_state::closed};
    const auto all = impl_->sessions();
    if (index >= all.size()) return {.state = session_state::closed};
    return all[index]->info();
}

listener_handle client::on_change(std::function<void(const session_change&)> listener) {
    if (impl_->forked()) return {};
    return impl_->on_change(std::move(listener));
}

void client::close() noexcept {
    impl_->close();
}

}  // namespace turnstile
