// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/tcp_proxy.hpp"

#include <algorithm>
#include <utility>

#include "servers/proxy_loop.hpp"
#include "servers/tcp.hpp"

namespace turnstile::testing {

class tcp_proxy::impl : public detail::proxy_loop {
public:
    using detail::proxy_loop::proxy_loop;

    // Calls `ask` with the proxy's state, on the proxy's thread. Returns its result.
    template <typename Ask>
    auto get(Ask ask) {
        decltype(ask(std::declval<state&>())) answer{};
        call([&](state& s) { answer = ask(s); });
        return answer;
    }
};

namespace {

using state = detail::proxy_loop::state;

void cut_all(state& s) {
    for (auto& [number, connection] : s.connections) connection.cut();
}

}  // namespace

tcp_proxy::tcp_proxy(const std::string& server, traffic carried)
    : impl_{std::make_unique<impl>(server, carried)} {}
tcp_proxy::~tcp_proxy() = default;

std::uint16_t tcp_proxy::port() const noexcept {
    return impl_->port().number();
}
std::string tcp_proxy::address() const {
    return impl_->port().address();
}

void tcp_proxy::delay(direction way, std::chrono::milliseconds by) {
    impl_->call([=](state& s) { s.settings.of(way).delay = by; });
}

void tcp_proxy::black_hole(direction way) {
    impl_->call([=](state& s) { s.settings.of(way).black_hole = true; });
}

void tcp_proxy::black_hole() {
    impl_->call([](state& s) {
        for (auto& way : s.settings.ways) way.black_hole = true;
    });
}

void tcp_proxy::pass(direction way) {
    impl_->call([=](state& s) { s.settings.of(way).black_hole = false; });
}

void tcp_proxy::pass() {
    impl_->call([](state& s) {
        for (auto& way : s.settings.ways) way.black_hole = false;
    });
}

void tcp_proxy::strand() {
    impl_->call([](state& s) {
        for (auto& [number, connection] : s.connections) connection.strand();
    });
}

void tcp_proxy::cut() {
    impl_->call(cut_all);
}

void tcp_proxy::refuse() {
    impl_->call([](state& s) {
        s.refusing = true;
        cut_all(s);
    });
}

void tcp_proxy::accept() {
    impl_->call([](state& s) { s.refusing = false; });
}

void tcp_proxy::redirect(const std::string& server) {
    const auto where = detail::parse_address(server);
    impl_->call([&](state& s) {
        s.server = where;
        cut_all(s);
    });
}

void tcp_proxy::cut_after_bytes(direction way, std::size_t n) {
    impl_->call([=](state& s) { s.settings.of(way).bytes_left = n; });
}

void tcp_proxy::filter(direction way, frame_filter ask) {
    auto shared = ask ? std::make_shared<const frame_filter>(std::move(ask)) : nullptr;
    impl_->call([&](state& s) { s.settings.of(way).filter = shared; });
}

void tcp_proxy::release_held() {
    impl_->call([](state& s) {
        for (auto& [number, connection] : s.connections) connection.release_held();
    });
}

std::uint64_t tcp_proxy::requests(std::int32_t op) const {
    return impl_->get([=](state& s) {
        const auto found = s.settings.requests.find(op);
        return found == s.settings.requests.end() ? std::uint64_t{0} : found->second;
    });
}

std::uint64_t tcp_proxy::requests() const {
    return impl_->get([](state& s) {
        std::uint64_t all = 0;
        for (const auto& [op, count] : s.settings.requests) all += count;
        return all;
    });
}

std::uint64_t tcp_proxy::watch_events() const {
    return impl_->get([](state& s) { return s.settings.watch_events; });
}

void tcp_proxy::reset_counters() {
    impl_->call([](state& s) {
        s.settings.requests.clear();
        s.settings.watch_events = 0;
    });
}

std::size_t tcp_proxy::connections() const {
    return impl_->get([](state& s) { return s.connections.size(); });
}

std::uint64_t tcp_proxy::accepted() const {
    return impl_->get([](state& s) { return s.accepted; });
}

std::size_t tcp_proxy::held() const {
    return impl_->get([](state& s) {
        std::size_t all = 0;
        for (const auto& [number, connection] : s.connections) all += connection.held();
        return all;
    });
}

bool tcp_proxy::keeps(direction way) const {
    return impl_->get([way](state& s) {
        return std::any_of(s.connections.begin(), s.connections.end(),
                           [way](const auto& each) { return each.second.keeps(way); });
    });
}

}  // namespace turnstile::testing
